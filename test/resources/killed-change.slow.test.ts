// A process that is killed during a change leaves all of it or nothing, at any point, and a retry with the same
// Idempotency-Key applies it once. For a PostgreSQL server that is a broken connection, so changes are cut off between
// all their statements there; on the embedded database processes are killed. These are changes of different kinds;
// broken-mutations.test.ts covers every mutation with driver errors.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openCutOff } from '../database/cut-off.js';
import type { CutOff } from '../database/cut-off.js';
import { copyFolder } from '../global-setup.js';
import { freshDatabase, graphql, startOn, withDatabase } from '../harness.js';
import type { Answer, RunningApp } from '../harness.js';
import { programWords } from '../program-flags.js';
import { killedChanges, prepareGround } from './changes-to-kill.js';
import type { Ground, KilledChange } from './changes-to-kill.js';
import { rowsMore, wholeState } from './whole-state.js';
import type { WholeState } from './whole-state.js';

const isEmbedded = 'folder' in inject('template');

/** More than any change has. */
const statementsMax = 30;

let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.remove());

/** The effects of a change (all or nothing), and whether they are complete. */
function expectWholeOrNothing(rows: Record<string, number>, before: WholeState, after: WholeState): boolean {
  const isDone = after.digest !== before.digest;
  const more = isDone ? { ...rows, idempotency_key: 1 } : {};
  expect({ more: rowsMore(before, after), disagreements: after.disagreements }).toEqual({ more, disagreements: [] });
  return isDone;
}

describe.skipIf(isEmbedded)('A change whose connection breaks', () => {
  let server: CutOff;
  let running: RunningApp;
  let ground: Ground;

  beforeAll(async () => {
    const url = database.settings['DATABASE_URL'] ?? '';
    server = await openCutOff(url);
    running = await startOn({ ...database.settings, DATABASE_URL: server.url });
    ground = await prepareGround(running.app);
  });

  afterAll(async () => {
    await running.stop();
    await server.close();
  });

  function send({ mutation, fields }: KilledChange, input: object, idempotencyKey: string): Promise<Answer> {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    const query = `mutation ($input: ${type}Input!) {
      result: ${mutation}(input: $input) { __typename ... on Error { message } ... on ${type}Payload { ${fields} } } }`;
    return graphql(running.app, ground.key, query, { input }, { 'idempotency-key': idempotencyKey });
  }

  const state = () => wholeState(running.app.services.db);

  it.each(killedChanges)(
    'by $mutation is applied completely or not at all, and once after a retry',
    { timeout: 120_000 },
    async (change) => {
      const outcomes = new Set<string>();
      for (let statements = 0, isCut = true; isCut; statements++) {
        expect(statements).toBeLessThan(statementsMax);
        const mark = `${change.mutation.toLowerCase()}-${statements}`;
        const input = await change.input(ground, mark);
        const before = await state();
        server.cutAfter(statements);
        const answer = await send(change, input, mark);
        isCut = await server.mend();
        const after = await state();
        const isDone = expectWholeOrNothing(change.rows, before, after);
        outcomes.add(`${isDone ? 'whole' : 'nothing'}, ${isCut ? 'not answered' : 'answered'}`);
        expect(answer.status).toBe(isCut ? 503 : 200);
        const again = await send(change, input, mark);
        expect(again.body.data.result).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
        expect(again.body).toEqual((isCut ? again : answer).body);
        const end = await state();
        expect(expectWholeOrNothing(change.rows, before, end)).toBe(true);
        expect(end.digest === after.digest).toBe(isDone);
      }
      expect([...outcomes]).toEqual(['nothing, not answered', 'whole, not answered', 'whole, answered']);
    },
  );
});

/**
 * The changes of killed-change.ts, and the numbers of statements after which they are killed: these, and then every
 * following one until the change succeeds. With a half, the next statement is executed, and its response is lost.
 */
const shapes = [
  { mutation: 'createAgent', kills: [0], rows: { agent: 1, change: 1 } },
  { mutation: 'deleteJob', kills: [1], rows: { job: -1, job_execution: -2, change: 3 } },
  { mutation: 'acceptImageShare', kills: [1], rows: { image: 1, image_tag: 2, change: 2 } },
];

interface Told {
  when: string;
  state: WholeState;
}

async function run(folder: string, words: string[]): Promise<Told[]> {
  const child = spawn(process.execPath, [...programWords('resources/killed-change'), ...words], {
    env: { ...process.env, DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return output.split('\n').flatMap((line): Told[] => (line === '' ? [] : [JSON.parse(line)]));
}

/** The state that a process finds after the previous one, and the result of a retry. */
function expectOnce(rows: Record<string, number>, before: WholeState, states: ReadonlyMap<string, WholeState>): string {
  const found = states.get('found') ?? before;
  const retried = states.get('retried') ?? before;
  const isDone = expectWholeOrNothing(rows, before, found);
  expect(expectWholeOrNothing(rows, before, retried)).toBe(true);
  expect(retried.digest === found.digest).toBe(isDone);
  return isDone ? 'whole' : 'nothing';
}

describe.runIf(isEmbedded).concurrent('A change whose process is killed', () => {
  let key: string;

  beforeAll(async () => {
    await withDatabase(database.settings, async (app) => {
      const ground = await prepareGround(app);
      const { accountId } = ground.tenant;
      await app.services.db.workspace.create({ data: { name: 'side', accountId } });
      ({ key } = ground);
    });
  });

  it.each(shapes)(
    'by $mutation is applied completely or not at all, and once after a retry',
    { timeout: 240_000 },
    async ({ mutation, kills, rows }) => {
      const folder = copyFolder(database.settings['DATA_DIR'] ?? '');
      let before: WholeState | undefined;
      let last = '';
      const [first = 0, ...others] = kills;
      const outcomes = new Set<string>();
      for (let statements = first, isOver = false; !isOver; statements = others.shift() ?? statements + 0.5) {
        expect(statements).toBeLessThan(statementsMax);
        const mark = `killed-${String(statements).replace('.', '-')}`;
        const told = await run(folder, [mutation, key, String(statements), last, mark]);
        last = mark;
        const states = new Map(told.map(({ when, state }) => [when, state]));
        if (before !== undefined) outcomes.add(expectOnce(rows, before, states));
        before = states.get('prepared');
        expect(before).toBeDefined();
        isOver = states.has('done');
      }
      expect([...outcomes]).toEqual(['nothing', 'whole']);
      rmSync(folder, { recursive: true });
    },
  );
});
