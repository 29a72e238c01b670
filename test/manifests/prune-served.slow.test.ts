// Pruning with an executor: a workload with a volume remains for a moment after its deletion.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { runIfForGateway } from '../../src/cli/gateway-command-line.js';
import { useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { openShell } from './command.js';

const running = useApp();
const volume = (workspace: string) => `
kind: Volume
workspace: ${workspace}
metadata: { name: data, labels: { app: shop } }
spec: { region: eu-open, sizeMb: 1024 }
---
kind: Agent
workspace: ${workspace}
metadata: { name: user, labels: { app: shop } }
spec: { region: eu-open, volumes: [{ name: data, mountPath: /data }] }
`;

it('removes a volume once an executor has taken down the agent that used it', async () => {
  const { app } = running;
  const { db } = app.services;
  await db.continent.create({ data: { name: 'EU', displayName: 'Europe' } });
  await db.country.create({ data: { name: 'DE', displayName: 'Germany' } });
  await db.region.create({ data: { name: 'eu-open', continentName: 'EU', countryName: 'DE' } });
  const shell = await openShell(app);
  const executor = await anExecutor(app, 'one', { kinds: ['AGENT'] });
  await shell.done('apply -f -', volume(shell.workspace));
  const carryOut = async (state: string) => {
    for (const assignment of (await executor.claim()).assignments) await executor.report(assignment, { state });
  };
  await carryOut('DEPLOYED');
  let pauses = 0;
  const kept = `{"kind": "Workspace", "metadata": {"name": "${shell.workspace}"}}`;
  const prune = (pause: () => Promise<void>) =>
    runIfForGateway(['apply', '-f', '-', '--prune', 'app=shop'], {
      environment: shell.environment,
      folder: shell.folder,
      standardInput: Readable.from([kept]),
      pause,
      tell: () => {},
    });
  const result = await prune(async () => {
    // The executor is busy with something else at first.
    if (++pauses === 3) await carryOut('TERMINATED');
  });
  expect(result?.stdout).toContain(
    `deleted    Agent ${shell.workspace}/user\ndeleted    Volume ${shell.workspace}/data\n`,
  );
  expect({ pauses, exitCode: result?.exitCode, left: await db.volume.count() }).toEqual({
    pauses: 3,
    exitCode: 0,
    left: 0,
  });
  // The wait is bounded.
  await shell.done('apply -f -', volume(shell.workspace));
  await carryOut('DEPLOYED');
  const stuck = await prune(async () => {});
  expect(stuck?.stdout).toContain('The volume "data" is in use by the agent "user".');
  expect({ exitCode: stuck?.exitCode, left: await db.volume.count() }).toEqual({ exitCode: 1, left: 1 });
});
