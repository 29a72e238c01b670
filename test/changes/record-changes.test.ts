// The change log: the record of a change, and that a client that follows the numbers misses none.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import type { AuthorizedWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import type { NewChange } from '../../src/changes/record-changes.js';
import { createKey, createTenant, frozenNow, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
});

async function authorized(bearer = key): Promise<AuthorizedWorkspace> {
  const ctx = await openContext(running.app.services, { authorization: `Bearer ${bearer}` }, 'a-request');
  return authorizeWorkspace(ctx, 'admin');
}

function aChange(name: string): NewChange {
  const event = { type: 'update', status: 'DEPLOYED', message: `changed ${name}` };
  return { kind: 'AGENT', verb: 'updated', resourceId: randomUUID(), name, event };
}

function historyAfter(accountId: string, sequence: bigint) {
  return running.app.services.db.change.findMany({
    where: { accountId, sequence: { gt: sequence } },
    orderBy: { sequence: 'asc' },
  });
}

describe('The numbers of a change log', () => {
  it('are read without a gap, in any order of commits, with any number of rollbacks', async () => {
    const [writers, atOnce] = [24, 8];
    const within = await authorized();
    let isWriting = true;
    const seen: string[] = [];
    const follow = async () => {
      let last = 0n;
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        // The embedded database answers without leaving the queue of promises: timers run between two reads.
        await new Promise((resolve) => setImmediate(resolve));
        for (const { sequence, name } of await historyAfter(tenant.accountId, last)) {
          expect(sequence).toBe(last + 1n);
          last = sequence;
          seen.push(name ?? '');
        }
      }
    };
    const write = async (writer: number) => {
      const names = Array.from({ length: 1 + (writer % 3) }, (_, index) => `writer-${writer}-${index}`);
      await within.transaction(async (tx) => {
        // Some have more to do before, some after: they begin and end in different orders.
        for (let count = 0; count < writer % 5; count++) await (await tx.db.$prisma()).account.count();
        await recordChanges(tx, names.map(aChange));
        for (let count = 0; count < (writers - writer) % 7; count++) await (await tx.db.$prisma()).account.count();
        if (writer % 4 === 0) throw new Error('rolled back');
      });
      return names;
    };
    const following = follow();
    const results: PromiseSettledResult<string[]>[] = [];
    // As many as the connections of a process, because more would fail while waiting for one.
    for (let writer = 0; writer < writers; writer += atOnce) {
      const some = Array.from({ length: atOnce }, (_, index) => write(writer + index));
      results.push(...(await Promise.allSettled(some)));
    }
    isWriting = false;
    await following;
    const written = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(writers / 4);
    expect(seen.toSorted()).toEqual(written.toSorted());
    const head = await running.app.services.db.changeHead.findUniqueOrThrow({ where: { accountId: tenant.accountId } });
    expect(head.last).toBe(BigInt(written.length));
  });

  it('keep the order of one writer’s changes', async () => {
    const { app } = running;
    const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
    const { key: otherKey } = await createKey(app, other);
    const names = Array.from({ length: 50 }, (_, index) => `agent-${index}`);
    await (await authorized(otherKey)).transaction((tx) => recordChanges(tx, names.map(aChange)));
    const history = await historyAfter(other.accountId, 0n);
    expect(history.map(({ name }) => name)).toEqual(names);
    expect(history.map(({ sequence }) => sequence)).toEqual(names.map((_, index) => BigInt(index + 1)));
  });

  it('are assigned only inside the transaction of the change', async () => {
    await expect(recordChanges(await authorized(), [aChange('beside')])).rejects.toThrow(/in the transaction/);
  });
});

describe('A change', () => {
  it('records actor, credential and previous values', async () => {
    const { app } = running;
    const own = await createTenant(app, { account: 'eastwind', workspaces: ['east'] });
    const { key: ownKey } = await createKey(app, own);
    const workspaceId = own.workspaces['east'] ?? '';
    const platform = await addPlatform(app, workspaceId, 'one');
    const path = `/sandboxes/one-sandbox/previews/one-preview`;
    const { status, headers } = await rest(app, path, { key: ownKey, method: 'DELETE' });
    expect(status).toBe(200);
    const [deletion] = (await historyAfter(own.accountId, 0n)).toReversed();
    expect(deletion).toMatchObject({
      workspaceId,
      kind: 'SANDBOX_PREVIEW',
      resourceId: platform.SandboxPreview,
      name: 'one-preview',
      verb: 'deleted',
      version: 1,
      time: frozenNow,
      actorKind: 'user',
      actorId: own.principalId,
      actorName: 'owner@eastwind.example.com',
      client: `api_key ${ownKey.slice(0, 10)}`,
      requestId: headers.get('x-request-id'),
      api: 'rest',
      fields: [],
      before: { metadata: { name: 'one-preview', workspace: 'east' }, spec: { port: 3000 } },
      after: null,
      type: 'deletion',
      status: 'DELETED',
    });
    expect(JSON.stringify(deletion?.before)).not.toContain('events');
  });

  it('of a share names the changed fields', async () => {
    const { app } = running;
    const own = await createTenant(app, { account: 'westwind', workspaces: ['west'] });
    const { key: ownKey } = await createKey(app, own);
    const platform = await addPlatform(app, own.workspaces['west'] ?? '', 'one');
    app.clock.now = new Date(frozenNow.getTime() + 60_000);
    await rest(app, `/pending-image-shares/${platform.ImageShare}/decline`, { key: ownKey, method: 'POST' });
    app.clock.now = frozenNow;
    const [decline] = (await historyAfter(own.accountId, 0n)).toReversed();
    expect(decline).toMatchObject({ kind: 'IMAGE_SHARE', verb: 'declined', version: 2, name: 'one-offered' });
    expect(decline?.fields).toEqual([
      'metadata.updatedAt',
      'metadata.updatedBy',
      'metadata.decidedAt',
      'metadata.decidedBy',
      'status',
    ]);
  });

  it('of a resource that was imported with events keeps their order and content', async () => {
    const { app } = running;
    const own = await createTenant(app, { account: 'midwind', workspaces: ['mid'] });
    const workspaceId = own.workspaces['mid'] ?? '';
    const platform = await addPlatform(app, workspaceId, 'one');
    const history = await historyAfter(own.accountId, 0n);
    const ofVolume = history.filter(({ resourceId }) => resourceId === platform.Volume);
    expect(ofVolume).toMatchObject([
      { kind: 'VOLUME', verb: 'created', name: 'one-volume', workspaceId, actorKind: 'system', message: 'made one' },
    ]);
    expect(history.map(({ sequence }) => sequence)).toEqual(history.map((_, index) => BigInt(index + 1)));
  });
});
