// The subscription with the graphql-sse client in distinct connections mode: events, end, and resuming after a broken
// connection.
import './installed.js';
import { createClient } from 'graphql-sse';
import { describe, expect, it } from 'vitest';
import { frozenNow } from '../harness.js';
import { useFleet, useSilentConsole } from './fleet.js';

// Heartbeats arrive between events.
const fleet = useFleet({ WATCH_HEARTBEAT_MS: '100' });
useSilentConsole();

const query = `subscription ($after: String) {
  changes(after: $after, filter: { kinds: [AGENT] }) { cursor node { action name after } } }`;

interface Told {
  changes: { cursor: string; node: { action: string; name: string; after: { metadata: { displayName?: string } } } };
}

function client(given: Partial<Parameters<typeof createClient>[0]> = {}) {
  return createClient({ url: fleet.url, headers: () => fleet.headers, retryAttempts: 0, ...given });
}

const shown = ({ changes: { node } }: Told) => `${node.name} ${node.after.metadata.displayName ?? ''}`;

describe('The graphql-sse client', () => {
  it('gets each change once and in order, and can unsubscribe', async () => {
    const after = await fleet.changeCursor();
    const sse = client();
    const told: string[] = [];
    await fleet.rename('agent-1', 'first');
    for await (const { data } of sse.iterate<Told>({ query, variables: { after } })) {
      if (data == null) throw new Error('there is no change');
      told.push(shown(data));
      if (told.length === 1) await fleet.rename('agent-2', 'second');
      if (told.length === 2) await fleet.rename('agent-1', 'third');
      if (told.length === 3) break;
    }
    expect(told).toEqual(['agent-1 first', 'agent-2 second', 'agent-1 third']);
    await expect.poll(() => fleet.app.services.changeHub.followersOf(fleet.accountId)).toBe(0);
    sse.dispose();
  });

  it('continues after the last handled change when its connection breaks, without losses or duplicates', async () => {
    let cursor = await fleet.changeCursor();
    let connections = 0;
    const sse = client({
      retryAttempts: 5,
      retry: async () => {},
      on: { connecting: () => connections++ },
    });
    const told: string[] = [];
    // It sends its variables again with each connection, so they can contain the position.
    const variables = {
      get after() {
        return cursor;
      },
    };
    const ended = new Promise((resolve, reject) => {
      sse.subscribe<Told>(
        { query, variables },
        {
          next: ({ data }) => {
            if (data == null) return;
            told.push(shown(data));
            ({ cursor } = data.changes);
          },
          complete: () => resolve(undefined),
          error: reject,
        },
      );
    });
    for (const round of [1, 2, 3]) {
      await fleet.rename('agent-1', `round ${round}`);
      await expect.poll(() => told.length).toBe(round * 2 - 1);
      fleet.app.gateway.server.closeAllConnections();
      await fleet.rename('agent-2', `meanwhile ${round}`);
      await expect.poll(() => told.length).toBe(round * 2);
    }
    sse.dispose();
    await ended;
    expect(told).toEqual([1, 2, 3].flatMap((round) => [`agent-1 round ${round}`, `agent-2 meanwhile ${round}`]));
    expect(connections).toBe(4);
  });

  it('receives a last result with the reason and the cursor to continue from', async () => {
    const after = await fleet.changeCursor();
    await fleet.rename('agent-1', 'before the end');
    const sse = client();
    const results = [];
    for await (const result of sse.iterate<Told>({ query, variables: { after } })) {
      results.push(result);
      if (results.length === 1) await fleet.app.services.db.apiKey.updateMany({ data: { revokedAt: frozenNow } });
    }
    const [first, last] = results;
    expect(results).toHaveLength(2);
    expect(last?.errors?.[0]?.extensions).toMatchObject({
      code: 'unauthorized',
      resumeFrom: first?.data?.changes.cursor,
    });
    sse.dispose();
  });

  it('fails immediately with the status when it is rejected', async () => {
    const sse = client({ headers: { authorization: 'Bearer nobody' }, retryAttempts: 0 });
    const reading = sse.iterate<Told>({ query }).next();
    await expect(reading).rejects.toMatchObject({ response: { status: 401 } });
    sse.dispose();
  });
});
