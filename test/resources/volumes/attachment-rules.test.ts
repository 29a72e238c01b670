import { beforeAll, describe, expect, it } from 'vitest';
import { brokenAttachments } from '../../../src/resources/volumes/attachment-rules.js';
import type { Attaching } from '../../../src/resources/volumes/attachment-rules.js';
import { insertVolumes } from '../../../src/resources/volumes/volume-input.js';
import { createTenant, frozenNow, useApp } from '../../harness.js';

const running = useApp();
let main: string;

function volume(name: string, region: string) {
  const time = frozenNow.toISOString();
  return { metadata: { name, createdAt: time, updatedAt: time }, spec: { region, sizeMb: 1024 } };
}

beforeAll(async () => {
  const { app } = running;
  const { workspaces } = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  main = workspaces['main'] ?? '';
  await insertVolumes(app.services.db, main, [volume('models', 'eu-frankfurt-1'), volume('archive', 'us-dallas-1')]);
  await insertVolumes(app.services.db, workspaces['second'] ?? '', [volume('foreign', 'eu-frankfurt-1')]);
});

async function messages(volumes: Attaching['spec']['volumes'], region?: string): Promise<string[]> {
  const [only] = await brokenAttachments(running.app.services.db, main, [{ spec: { region, volumes } }]);
  return (only?.broken ?? []).map(({ message }) => message);
}

describe('Attached volumes', () => {
  it.each([
    ['nothing', undefined, 'eu-frankfurt-1'],
    ['a volume of the same region', [{ name: 'models' }], 'eu-frankfurt-1'],
    ['an ephemeral one, whatever it is called', [{ name: 'archive', type: 'ephemeral' as const }], 'eu-frankfurt-1'],
  ])('can be %s', async (_rule, volumes, region) => {
    expect(await messages(volumes, region)).toEqual([]);
  });

  it.each([
    [
      'of another region',
      'archive',
      'eu-frankfurt-1',
      'must be a volume of the same region (archive is in us-dallas-1)',
    ],
    [
      'of a workload in no region',
      'models',
      undefined,
      'must be a volume of the same region (models is in eu-frankfurt-1)',
    ],
    ['that are not there', 'nothing', 'eu-frankfurt-1', 'must be a volume of the workspace (got "nothing")'],
    ['of another workspace', 'foreign', 'eu-frankfurt-1', 'must be a volume of the workspace (got "foreign")'],
  ])('cannot be ones %s', async (_rule, name, region, expected) => {
    const found = await messages(
      [
        { name: 'scratch', type: 'ephemeral' },
        { name, type: 'persistent' },
      ],
      region,
    );
    expect(found).toEqual([`spec.volumes.1.name ${expected}`]);
  });

  it('are looked up in one statement for any number of workloads, also in a transaction', async () => {
    const { services, statements } = running.app;
    const workloads = Array.from({ length: 50 }, (_, index) => ({
      spec: { region: 'eu-frankfurt-1', volumes: [{ name: index % 2 === 0 ? 'models' : `volume-${index}` }] },
    }));
    statements.length = 0;
    const found = await services.db.$transaction((tx) => brokenAttachments(tx, main, workloads));
    expect(statements.filter((text) => text.includes('"volume"'))).toHaveLength(1);
    expect(found.map(({ workload }) => workload)).toEqual(workloads);
    expect(found.filter(({ broken }) => broken.length > 0)).toHaveLength(25);
  });
});
