// A dry run returns what the change returns, and changes nothing: every mutation of the schema, with all fields of its payload.
// Only random ids, times and secrets differ. PROPERTY_RUNS says how many random inputs of each mutation are tried.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, graphql, useApp } from '../harness.js';
import { takes } from './generic-cases.js';
import { cases, inputOf, prepareCases, settingsOfCases } from './mutation-cases.js';
import { documentOf, plain } from './payload-selection.js';
import { replacedFields } from './random-inputs.js';
import { wholeState } from '../resources/whole-state.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
const runs = Number(process.env['PROPERTY_RUNS'] ?? 1);
const inputs = new Map<string, object>();

/** Keys of the least role that a mutation needs. */
const keys = { owner: '', member: '' };

beforeAll(async () => {
  const { tenant, memberId } = await prepareCases(running.app);
  // Before any request: what a caller can access is cached briefly.
  for (const [index, [mutation, each]] of Object.entries(cases).entries())
    inputs.set(mutation, await inputOf(each, `dry${index}`));
  keys.owner = (await createKey(running.app, tenant)).key;
  keys.member = (await createKey(running.app, { accountId: tenant.accountId, principalId: memberId })).key;
});

const tried = Object.entries(cases).filter(([mutation]) => takes(mutation, 'validateOnly'));

describe.each(tried)('%s', (mutation, { needs }) => {
  const document = documentOf(mutation);
  /** Sends an input as a dry run and then as a change. */
  async function twice(input: object) {
    const { app } = running;
    const key = keys[needs === undefined ? 'member' : 'owner'];
    const before = await wholeState(app.services.db);
    const dry = await graphql(app, key, document, { input: { ...input, validateOnly: true } });
    const after = await wholeState(app.services.db);
    const made = await graphql(app, key, document, { input });
    return { before, after, dry: plain(dry.body), made: plain(made.body), type: made.body.data?.result?.__typename };
  }

  it('returns in a dry run what it then returns', async () => {
    const { before, after, dry, made, type } = await twice({ ...inputs.get(mutation) });
    expect(type).toMatch(/Payload$/);
    expect(dry).toEqual(made);
    expect(after).toEqual(before);
  });

  it('returns in a dry run what it then returns, for random inputs', async () => {
    await fc.assert(
      fc.asyncProperty(replacedFields(mutation), async (fields) => {
        const { before, after, dry, made } = await twice({ ...inputs.get(mutation), ...fields });
        expect(dry).toEqual(made);
        expect(after).toEqual(before);
        expect(JSON.stringify(made)).not.toContain('internal_error');
      }),
      { numRuns: runs },
    );
  });
});
