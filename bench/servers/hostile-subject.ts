// The gateway on an embedded database of its own, which tells whoever started it how long its event loop stood still.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApiKey } from '../../src/auth/api-key.js';
import { readConfig } from '../../src/config.js';
import { startGateway } from '../../src/server/start.js';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const { origin, services } = await startGateway(
  readConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent', ACCESS_LOG: 'off' }),
);
const { db } = services;
const account = await db.account.create({ data: { name: 'bench', plan: 'enterprise' } });
const principal = await db.principal.create({ data: { kind: 'user', name: 'owner@bench.example.com' } });
await db.accountMember.create({ data: { accountId: account.id, principalId: principal.id, role: 'admin' } });
await db.workspace.create({ data: { name: 'bench', accountId: account.id } });
const { key, prefix, hash } = createApiKey();
const owner = { principalId: principal.id, accountId: account.id };
await db.apiKey.create({ data: { name: 'bench', prefix, hash, scope: 'admin', ...owner } });

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

/** Asked for with each message, and begun anew. */
process.on('message', () => {
  const stallMs = delay.max / 1e6;
  delay.reset();
  process.send?.({ stallMs, residentBytes: process.memoryUsage.rss() });
});
process.send?.({ origin, key });
