import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../../src/auth/authorize.js';
import type { RequestContext } from '../../../src/auth/context.js';
import { openContext } from '../../../src/http/open-context.js';
import { Prisma } from '../../../src/database/client/client.js';
import { ApiError } from '../../../src/errors.js';
import { createResource } from '../../../src/store/write/change.js';
import type { Precondition } from '../../../src/store/write/precondition.js';
import { resourceFromRow } from '../../../src/store/read/resource-row.js';
import { newSpecifiedRow, specifiedColumnsOf } from '../../../src/store/write/row-columns.js';
import { volumeKind } from '../../../src/resources/volumes/volume.js';
import type { VolumeRow } from '../../../src/resources/volumes/volume.js';
import { createKey, createTenant, useApp } from '../../harness.js';

const running = useApp();
let ctx: RequestContext;

beforeAll(async () => {
  const { app } = running;
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
});

/** A precondition that holds once the row `it` exists. It counts its reads. */
async function appearsAfter(looks: number): Promise<Precondition> {
  const name = `looks_${looks}`;
  await running.app.services.db.$executeRawUnsafe(`CREATE SEQUENCE "${name}"`);
  return {
    names: Prisma.sql`
      SELECT 'it' AS "name" FROM (SELECT nextval(${name}::regclass) AS "look" OFFSET 0) AS l WHERE l."look" > ${looks}`,
    count: 1,
    refuse: (found) => new ApiError('conflict', `found ${found.size} of 1`),
  };
}

async function createVolume(name: string, precondition: Precondition): Promise<string> {
  const within = authorizeWorkspace(ctx, 'volumes:create', 'main');
  const row: VolumeRow = newSpecifiedRow(within, { metadata: { name }, spec: { region: 'eu', sizeMb: 1 } }, undefined);
  const shown = (volume: Parameters<typeof resourceFromRow<VolumeRow['spec']>>[0]) =>
    resourceFromRow(volume, volume.row.spec);
  const writable = { kind: volumeKind, columnsOf: specifiedColumnsOf, shown };
  return (await createResource(within, writable, { id: randomUUID(), row }, { precondition })).row.name;
}

const count = (name: string) => running.app.services.db.volume.count({ where: { name } });

describe('A resource with a precondition', () => {
  it('is created if the precondition holds', async () => {
    expect(await createVolume('soon', await appearsAfter(0))).toBe('soon');
    expect(await count('soon')).toBe(1);
  });

  it('is rejected for the rows that were missing when they were locked', async () => {
    await expect(createVolume('late', await appearsAfter(1))).rejects.toThrow('found 0 of 1');
    expect(await count('late')).toBe(0);
  });
});
