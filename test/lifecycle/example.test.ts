// The example executor of docs/executors.md, as a separate process with a gateway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createKey, createTenant, useApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { anExecutor } from './executor.js';

const running = useApp();
const example = fileURLToPath(new URL('../../examples/executor.ts', import.meta.url));

it('runs tasks as child processes with their variables, and reports their exit', async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const { key } = await createKey(app, tenant);
  const { key: executorKey } = await anExecutor(app, 'here', { kinds: ['JOB_EXECUTION'] });
  const runtime = { image: 'test "$MODE" = fine || { echo "not $MODE" >&2; exit 3; }' };
  await mutate(app, key, 'createJob', '__typename', { metadata: { name: 'job' }, spec: { runtime } });
  const child = spawn(process.execPath, ['--import', 'tsx', example], {
    env: { PATH: process.env['PATH'], GATEWAY: app.origin, EXECUTOR_KEY: executorKey },
    stdio: 'inherit',
  });
  try {
    for (const [MODE, status, message] of [
      ['fine', 'succeeded', 'exit code 0'],
      ['bad', 'failed', 'exit code 3 not bad'],
    ] as const) {
      const input = { name: 'job', envOverride: { MODE } };
      const { jobExecution } = await mutate(app, key, 'runJob', 'jobExecution { metadata { id } }', input);
      const { id } = jobExecution.metadata;
      const now = () => app.services.db.jobExecution.findUniqueOrThrow({ where: { id } });
      await expect.poll(async () => (await now()).status, { timeout: 30_000 }).toBe(status);
      expect((await now()).tasks).toMatchObject([{ conditions: [{ reason: 'Exited', message }] }]);
    }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}, 60_000);

it('is short enough to be read', () => {
  expect(readFileSync(example, 'utf8').trim().split('\n').length).toBeLessThan(100);
});
