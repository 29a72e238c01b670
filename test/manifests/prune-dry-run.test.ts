// What a dry run with --prune says, compared with the run.
import { beforeAll, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { addRegion, openShell } from './command.js';

const running = useApp();

beforeAll(() => addRegion(running.app, 'eu-open'));

const labels = { app: 'shop' };
const volume = (name: string) => ({
  kind: 'Volume',
  metadata: { name, labels },
  spec: { region: 'eu-open', sizeMb: 10 },
});
const workload = (kind: string, name: string, ...volumes: object[]) => ({
  kind,
  metadata: { name, labels },
  spec: { region: 'eu-open', volumes },
});
const data = { name: 'data', mountPath: '/data' };
const scratch = { ...data, type: 'ephemeral', sizeMb: 10 };
const [both, attached] = [[volume('data'), workload('Agent', 'support', data)], [workload('Agent', 'support', data)]];

it.each([
  ['a resource that nothing uses', [volume('data')], [volume('other')], 'deleted'],
  ['a volume that its agent detaches', both, [workload('Agent', 'support')], 'deleted'],
  ['a volume whose agent gets scratch space of that name', both, [workload('Agent', 'support', scratch)], 'deleted'],
  ['a volume and its agent', both, [volume('other')], 'deleted'],
  [
    'a volume that one agent detaches, and one still uses',
    both,
    [workload('Sandbox', 'box', data), workload('Agent', 'support')],
    'refused',
  ],
  ['a volume that its agent still uses', both, attached, 'refused'],
  ['a volume that an agent attaches', [volume('data'), workload('Agent', 'support')], attached, 'refused'],
  ['a volume that a new agent attaches', [volume('data')], attached, 'refused'],
])('A dry run with --prune says the same as the run about %s', async (_name, before, documents, action) => {
  const { workspace, done, run } = await openShell(running.app);
  await done(`apply -f - --workspace ${workspace}`, JSON.stringify(before));
  const line = `apply -f - --workspace ${workspace} --prune app=shop`;
  const dry = await run(`${line} --dry-run`, JSON.stringify(documents));
  const wet = await run(line, JSON.stringify(documents));
  expect(wet.stdout).toContain(`${action.padEnd(11)}Volume ${workspace}/data\n`);
  const said = dry.stdout.replace('would be', 'was').replace('Dry run, nothing was changed: ', '');
  expect({ ...dry, stdout: said }).toEqual(wet);
});
