// The indexed filter values of criteria in TypeScript, and those of rows in SQL (resource_words in the migrations).
import { expect, it } from 'vitest';
import { agentKind } from '../../../src/resources/agents/agent-row.js';
import { generations } from '../../../src/schema/runtime.js';
import { jobKind } from '../../../src/resources/jobs/job.js';
import { vpcKind } from '../../../src/resources/networks/vpc.js';
import { sandboxKind } from '../../../src/resources/sandboxes/sandbox.js';
import { volumeKind } from '../../../src/resources/volumes/volume.js';
import type { CriterionForm } from '../../../src/store/read/criterion.js';
import { useApp } from '../../harness.js';

const running = useApp();

/** A value of a criterion that a row with these values meets. */
function met(form: CriterionForm): unknown {
  switch (form.is) {
    case 'texts':
      return ['x'];
    case 'name':
    case 'text':
      return { in: ['x'] };
    case 'labels':
      return [{ key: 'x', in: ['x'] }, { key: 'x' }];
    case 'time':
    case 'optionalTime':
      return {};
    case 'boolean':
      return true;
    case 'words':
      return form.words.options;
    case 'word':
    case 'optionalWord':
      return { in: form.words.options };
  }
}

it('of criteria are those of rows: a row has one of each condition, and has none without a criterion', async () => {
  const [generation] = Object.keys(generations);
  const spec = {
    region: 'x',
    runtime: { generation, image: 'x' },
    triggers: [{ type: 'http' }],
    volumes: [{ name: 'x', type: 'persistent' }],
  };
  const [row] = await running.app.services.db.$queryRaw<{ words: string[] }[]>`
    SELECT resource_words('DEPLOYED', 'x', 'x', 'x', '{"x": "x"}'::json, ${JSON.stringify(spec)}::json) AS "words"`;
  const inRow = row?.words ?? [];
  const criteria = [agentKind, sandboxKind, jobKind, volumeKind, vpcKind].flatMap((kind) =>
    Object.values(kind.criteria),
  );
  const asked = criteria
    .flatMap(({ form, conditions }) => conditions(met(form)))
    .flatMap(({ words }) => (words === undefined ? [] : [words]));
  expect(asked.length).toBeGreaterThan(0);
  for (const words of asked) expect(words.filter((word) => inRow.includes(word))).toHaveLength(1);
  expect(inRow.filter((word) => !asked.flat().includes(word))).toEqual([]);
});
