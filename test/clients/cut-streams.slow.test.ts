// Clients that follow changes as docs/changes.md says, through a proxy that cuts every connection while changes are made:
// no change is lost.
import './installed.js';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';
import { afterEach, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../console/browser.js';
import { openCuttingProxy } from './cutting-proxy.js';
import type { CuttingProxy } from './cutting-proxy.js';
import { useFleet } from './fleet.js';

const fleet = useFleet({ WATCH_HEARTBEAT_MS: '100' });
const count = 120;
const expected = Array.from({ length: count }, (_, index) => `change ${index}`);
const query = `subscription ($after: String) {
  changes(after: $after) { cursor node { version after } } }`;

interface Told {
  changes: { cursor: string; node: { version: number; after: { metadata: { displayName: string } } } };
}

/** A copy of one agent: a change counts if its version is greater than that of the copy, as the page says. */
class Copy {
  version = 1;
  readonly told: string[] = [];

  apply({ node: { version, after } }: Told['changes']): void {
    if (version <= this.version) return;
    if (version !== this.version + 1) throw new Error(`version ${version} follows ${this.version}`);
    this.version = version;
    this.told.push(after.metadata.displayName);
  }
}

let proxy: CuttingProxy | undefined;
afterEach(() => proxy?.close());

/** Makes the changes in bursts, some of them while no client is connected. */
async function makeChanges(): Promise<void> {
  for (const [index, displayName] of expected.entries()) {
    await fleet.rename('agent-1', displayName);
    if (index % 10 === 9) await sleep(40);
  }
}

/** All changes arrived, and each way of cutting a connection occurred. */
async function expectAll(told: () => string[] | Promise<string[]>, cutsMin = 2): Promise<void> {
  await expect.poll(async () => (await told()).length, { timeout: 45_000, interval: 100 }).toBe(count);
  expect(await told()).toEqual(expected);
  expect([...(proxy?.cuts.values() ?? [])].every((cuts) => cuts >= cutsMin)).toBe(true);
}

describe('No change is lost', () => {
  it.each([0, 15])('with graphql-sse, if applying a change takes %i ms', async (delayMs) => {
    proxy = await openCuttingProxy(fleet.app.origin);
    let cursor = await fleet.changeCursor();
    const copy = new Copy();
    const client = createClient({
      url: `${proxy.url}/graphql`,
      headers: () => ({ ...fleet.headers, 'last-event-id': cursor }),
      retryAttempts: Infinity,
      // A client that reconnects faster than it applies events receives the same ones again and again.
      retry: () => sleep(10 + 20 * delayMs),
    });
    const following = (async () => {
      for await (const { data, errors } of client.iterate<Told>({ query })) {
        if (errors !== undefined) throw new Error(errors[0]?.message);
        if (data == null) continue;
        if (delayMs > 0) await sleep(delayMs);
        copy.apply(data.changes);
        ({ cursor } = data.changes);
        if (copy.told.length === count) break;
      }
    })();
    try {
      await makeChanges();
      await expectAll(() => copy.told);
      await following;
    } finally {
      client.dispose();
    }
  });

  it('with the package eventsource', async () => {
    proxy = await openCuttingProxy(fleet.app.origin, { isQuick: true });
    const { url } = proxy;
    let cursor = await fleet.changeCursor();
    const copy = new Copy();
    const failures: unknown[] = [];
    let source: EventSource | undefined;
    const follow = (): void => {
      const search = new URLSearchParams({ query, variables: JSON.stringify({ after: cursor }) });
      const opened = new EventSource(`${url}/graphql?${search}`, {
        fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...fleet.headers } }),
      });
      source = opened;
      opened.addEventListener('next', ({ data: text }) => {
        const { data, errors }: { data: Told; errors?: object[] } = JSON.parse(text);
        if (errors !== undefined) failures.push(errors);
        else {
          copy.apply(data.changes);
          ({ cursor } = data.changes);
        }
      });
      opened.addEventListener('error', () => {
        if (opened.readyState === opened.CLOSED) setTimeout(follow, 10);
      });
    };
    follow();
    await makeChanges();
    await expectAll(() => copy.told).finally(() => source?.close());
    expect(failures).toEqual([]);
  });

  it.skipIf(!hasBrowser)('with the EventSource of a browser', async () => {
    const page = `<!doctype html><script>
      const told = [];
      let cursor = ${JSON.stringify(await fleet.changeCursor())};
      function follow() {
        const variables = JSON.stringify({ after: cursor });
        const source = new EventSource('/graphql?' + new URLSearchParams({ query: ${JSON.stringify(query)}, variables }));
        source.addEventListener('next', ({ data }) => {
          const { changes } = JSON.parse(data).data;
          told.push(changes.node);
          cursor = changes.cursor;
        });
        source.addEventListener('error', () => {
          if (source.readyState === EventSource.CLOSED) setTimeout(follow, 10);
        });
      }
      follow();
    </script>`;
    proxy = await openCuttingProxy(fleet.app.origin, {
      authorization: fleet.headers.authorization,
      page,
      isQuick: true,
    });
    const browser = await launchBrowser();
    try {
      const opened = await browser.newPage();
      await opened.goto(proxy.url);
      await makeChanges();
      await expectAll(async () => {
        const copy = new Copy();
        for (const node of await opened.evaluate<Told['changes']['node'][]>('told')) copy.apply({ cursor: '', node });
        return copy.told;
      });
    } finally {
      await browser.close();
    }
  });

  it('as docs/changes.md describes: the recipes here are the ones of the page', () => {
    const page = readFileSync(new URL('../../docs/changes.md', import.meta.url), 'utf8');
    for (const line of [
      "'last-event-id': cursor",
      'retryAttempts: Infinity',
      'JSON.stringify({ after: cursor })',
      'readyState === source.CLOSED',
    ]) {
      expect(page).toContain(line);
    }
  });
});
