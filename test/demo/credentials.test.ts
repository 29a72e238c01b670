import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoCredentials } from '../../src/demo/credentials.js';
import { loadDemo } from '../../src/demo/load.js';
import { rest, useApp } from '../harness.js';

const running = useApp();
const folder = mkdtempSync(join(tmpdir(), 'control-plane-demo-'));

beforeAll(async () => {
  const { db, encryption, now } = running.app.services;
  await loadDemo(db, encryption, { end: now(), agents: 1 });
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('The credentials of the demo’s owner', () => {
  it('are created in a new folder, also for a database server, and are valid', async () => {
    const place = { DATA_DIR: join(folder, 'fresh/data'), DATABASE_URL: 'postgres://u:p@db.test/demo' };
    const { key } = await demoCredentials(running.app.services, place);
    expect((await rest(running.app, '/accounts', { key })).status).toBe(200);
  });

  it('stay the same, and are readable by their owner only', async () => {
    const place = { DATA_DIR: folder, DATABASE_URL: undefined };
    const first = await demoCredentials(running.app.services, place);
    expect(await demoCredentials(running.app.services, place)).toEqual(first);
    expect(statSync(join(folder, 'demo-key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'demo-password')).mode & 0o777).toBe(0o600);
  });

  it('differ between databases', async () => {
    const embedded = await demoCredentials(running.app.services, { DATA_DIR: folder, DATABASE_URL: undefined });
    const server = { DATA_DIR: folder, DATABASE_URL: 'postgres://u:pa55word@db.test/demo' };
    const other = await demoCredentials(running.app.services, server);
    expect(other.key).not.toBe(embedded.key);
    expect(await demoCredentials(running.app.services, server)).toEqual(other);
    expect(existsSync(join(folder, 'demo-key'))).toBe(true);
  });

  it('are created again if the database does not know them', async () => {
    const place = { DATA_DIR: folder, DATABASE_URL: undefined };
    const old = await demoCredentials(running.app.services, place);
    await running.app.services.db.apiKey.deleteMany();
    const { key } = await demoCredentials(running.app.services, place);
    expect(key).not.toBe(old.key);
    expect((await rest(running.app, '/accounts', { key })).status).toBe(200);
  });
});
