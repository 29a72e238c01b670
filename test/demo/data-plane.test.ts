// The simulated data plane of the demo, against a gateway over HTTP only.
import { expect, it } from 'vitest';
import { runDataPlane } from '../../src/demo/data-plane-client.js';
import { stepsOf } from '../../src/demo/data-plane-steps.js';
import { deploymentWork, isDeploymentState, mayReport } from '../../src/lifecycle/deployment-states.js';
import { createKey, createTenant, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';

const running = useApp();

const assignment = (number: number, more: object = {}) => ({
  id: 'agent-1',
  fence: number,
  kind: 'AGENT',
  action: 'DEPLOY',
  version: 1,
  resourceId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  accountId: '00000000-0000-4000-8000-000000000000',
  workspaceName: 'main',
  desired: { metadata: { name: 'one' }, spec: {} },
  ...more,
});

it('follows the allowed transitions, and sometimes fails with a reason', () => {
  const ends = new Map<string, number>();
  for (let number = 0; number < 300; number++) {
    let state: string = deploymentWork.deploy.begins;
    for (const step of stepsOf(assignment(number))) {
      expect(isDeploymentState(state) && isDeploymentState(step.state) && mayReport(state, step.state)).toBe(true);
      expect(step.message).not.toBe('');
      ({ state } = step);
    }
    ends.set(state, (ends.get(state) ?? 0) + 1);
  }
  expect([...ends.keys()].toSorted()).toEqual(['DEPLOYED', 'FAILED']);
  expect(ends.get('FAILED')).toBeLessThan(60);
});

it('deploys created resources, assigns addresses, runs jobs, and terminates deleted resources', async () => {
  const { app } = running;
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  const { key: executorKey } = await anExecutor(app, 'demo');
  const stopping = new AbortController();
  const plane = runDataPlane({ origin: app.origin, key: executorKey, pace: 0, signal: stopping.signal });
  const { db } = app.services;
  await mutate(app, key, 'createSandbox', '__typename', { metadata: { name: 'box' } });
  await mutate(app, key, 'createSandboxPreview', '__typename', { sandboxName: 'box', metadata: { name: 'look' } });
  await mutate(app, key, 'createJob', '__typename', { metadata: { name: 'job' } });
  await mutate(app, key, 'runJob', '__typename', { name: 'job', tasks: [{}, {}] });
  const within = { timeout: 20_000 };
  await expect.poll(async () => (await db.sandbox.findFirst())?.status, within).toMatch(/^(DEPLOYED|FAILED)$/);
  await expect.poll(async () => (await db.sandboxPreview.findFirst())?.spec, within).toHaveProperty('url');
  await expect.poll(async () => (await db.jobExecution.findFirst())?.status, within).toMatch(/^(succeeded|failed)$/);
  await mutate(app, key, 'deleteSandbox', '__typename', { name: 'box' });
  await expect.poll(() => db.sandbox.count(), within).toBe(0);
  stopping.abort();
  await plane;
});
