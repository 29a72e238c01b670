// A process that dies in the middle of a change leaves all of it or nothing, wherever it dies.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createKey, createTenant, freshDatabase, withDatabase } from '../harness.js';
import type { Database } from '../../src/database/open.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';

const program = fileURLToPath(new URL('killed-change.ts', import.meta.url));
const tsx = fileURLToPath(new URL('../../node_modules/.bin/tsx', import.meta.url));

/** More than any change has. */
const statementsMax = 20;

async function run(settings: Record<string, string>, words: string[]): Promise<{ isDone: boolean }> {
  const child = spawn(tsx, [program, ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { isDone: output === 'done' };
}

const changes = [
  { name: 'preview', subject: 'SandboxPreview' },
  { name: 'ip', subject: 'EgressIp' },
  { name: 'share', subject: 'ImageShare' },
] as const;

async function stateOf(db: Database, id: string): Promise<{ isThere: boolean; isRecorded: boolean }> {
  const previews = await db.sandboxPreview.count({ where: { id } });
  const ips = await db.egressIp.count({ where: { id } });
  const shares = await db.imageShare.count({ where: { id, status: 'pending' } });
  const events = await db.coreEvent.count({ where: { resourceId: id, type: { in: ['deletion', 'decline'] } } });
  return { isThere: previews + ips + shares > 0, isRecorded: events > 0 };
}

describe.each(changes)('A change of one $name', ({ name, subject }) => {
  it(
    'is done whole or not at all, before whichever statement its process is killed',
    { timeout: 240_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      let key = '';
      let platform: Platform | undefined;
      await withDatabase(settings, async (app) => {
        const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
        ({ key } = await createKey(app, tenant));
        platform = await addPlatform(app, tenant.workspaces['main'] ?? '', 'one');
      });
      const id = platform?.[subject] ?? '';
      let kills = 0;
      for (let isOver = false; !isOver; kills++) {
        expect(kills).toBeLessThan(statementsMax);
        const { isDone } = await run(settings, [name, String(kills), key, 'main', id]);
        const { isThere, isRecorded } = await withDatabase(settings, ({ services: { db } }) => stateOf(db, id));
        expect({ kills, isThere }).toEqual({ kills, isThere: !isRecorded });
        // It may be killed when all is done, and nobody has been told yet.
        expect(isRecorded || !isDone).toBe(true);
        isOver = isRecorded;
      }
      // What it reads, the beginning of the transaction, two statements, and its end.
      expect(kills).toBeGreaterThanOrEqual(4);
      await remove();
    },
  );
});
