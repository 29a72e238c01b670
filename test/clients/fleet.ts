// Shared parts of the client tests: a workspace of seven agents, another user who changes them, and a console in which
// the client must print nothing.
import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import type { IntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import { readChangeCursor } from '../../src/changes/changes.js';
import { writableAgents } from '../../src/resources/agents/agent-changes.js';
import { updateSpecified } from '../../src/resources/specified-changes.js';
import { addAgents, anAgent, createKey, createTenant, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';

/** The data as an app that is built with `schema.graphql` sees it. */
export const schema: IntrospectionQuery = introspectionFromSchema(
  buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')),
);

const roots = ['Query', 'Mutation', 'Subscription'];

/** Objects that are not nodes are part of their parent, even if they have an id. */
export const embeddedTypes = schema.__schema.types.flatMap((type) =>
  type.kind === 'OBJECT' && !roots.includes(type.name) && !type.interfaces.some(({ name }) => name === 'Node')
    ? [type.name]
    : [],
);

export const names = Array.from({ length: 7 }, (_, index) => `agent-${index + 1}`);

export interface Fleet {
  readonly app: TestApp;
  readonly url: string;
  readonly workspace: string;
  readonly accountId: string;
  readonly headers: { authorization: string };
  /** Gives an agent another display name, by a request that the client under test does not see. */
  rename: (name: string, displayName: string) => Promise<void>;
  /** The cursor of the history as it is now. */
  changeCursor: () => Promise<string>;
}

/** A separate workspace for each test of a file. */
export function useFleet(environment: Record<string, string> = {}): Fleet {
  const running = useApp(environment);
  let key = '';
  let accountId = '';
  let count = 0;
  const workspace = () => `fleet-${count}`;
  beforeEach(async () => {
    count++;
    const tenant = await createTenant(running.app, { account: workspace(), workspaces: [workspace()] });
    ({ accountId } = tenant);
    ({ key } = await createKey(running.app, tenant));
    await addAgents(
      running.app,
      tenant.workspaces[workspace()],
      names.map((name) => anAgent(name)),
    );
  });
  const context = () => openContext(running.app.services, { authorization: `Bearer ${key}` }, 'somebody else');
  return {
    get app() {
      return running.app;
    },
    get url() {
      return `${running.app.origin}/graphql`;
    },
    get workspace() {
      return workspace();
    },
    get accountId() {
      return accountId;
    },
    get headers() {
      return { authorization: `Bearer ${key}` };
    },
    rename: async (name, displayName) => {
      await updateSpecified(await context(), writableAgents, {
        workspace: workspace(),
        name,
        metadata: { displayName },
      });
    },
    changeCursor: async () => readChangeCursor(await context()).cursor(),
  };
}

/** Fails a test in which a client warned of anything, or had anything else to say. */
export function useSilentConsole(): void {
  const said: unknown[][] = [];
  const note = (...words: unknown[]) => void said.push(words);
  beforeEach(() => {
    said.length = 0;
    for (const level of ['log', 'info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(note);
    process.on('warning', note);
  });
  afterEach(() => {
    process.off('warning', note);
    vi.restoreAllMocks();
    expect(said).toEqual([]);
  });
}

export interface SentRequest {
  method: string;
  /** Whether the text of the document was sent along. */
  hasText: boolean;
  hasHash: boolean;
}

/** A fetch that records the requests. */
export function recordingFetch(): { fetch: typeof fetch; sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const parameters = [...new URL(request.url).searchParams.keys()];
      const names = request.method === 'GET' ? parameters : Object.keys(JSON.parse(String(init?.body)));
      const given = request.method === 'GET' ? request.url : String(init?.body);
      sent.push({ method: request.method, hasText: names.includes('query'), hasHash: given.includes('sha256Hash') });
      return fetch(input, init);
    },
  };
}
