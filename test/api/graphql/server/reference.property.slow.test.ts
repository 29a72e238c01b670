// Every answer is the one that graphql-js gives: 1,500 generated documents, which use most of the schema.
// PROPERTY_RUNS and PROPERTY_SEED of the environment set how many and which. Without a seed it ends at the first difference,
// whose report names the seed; with it, it looks for the shortest document that differs.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { settingsOfCases } from '../../../auth/mutation-cases.js';
import { useApp } from '../../../harness.js';
import { choiceLists, generateCase } from './document-generator.js';
import {
  compareWithReference,
  describeDifference,
  prepareGround,
  problemsOf,
  usableFields,
  usedBy,
} from './reference.js';
import type { Ground } from './reference.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
let ground: Ground;

/** The least share of the schema's fields and arguments that the documents use. */
const coverageMin = 0.83;

/** The largest share of documents that a limit of the gateway refuses. */
const refusedMax = 0.05;

const runs = Number(process.env['PROPERTY_RUNS'] ?? 1_500);
const seed = process.env['PROPERTY_SEED'];

beforeAll(async () => {
  ground = await prepareGround(running.app);
});

describe('Generated documents', () => {
  it('have the answers of graphql-js, and use the schema', { timeout: 3_600_000 }, async () => {
    const unused = usableFields();
    const all = unused.size;
    let refused = 0;
    const property = fc.asyncProperty(choiceLists(240), async (choices) => {
      const generated = generateCase(choices, ground.known);
      expect({ document: generated.document, problems: problemsOf(generated) }).toMatchObject({ problems: [] });
      for (const name of usedBy(generated)) unused.delete(name);
      const verdict = await compareWithReference(ground, generated);
      if (verdict === 'refused') refused++;
      if (typeof verdict === 'object') throw new Error(describeDifference(verdict));
    });
    await fc.assert(property, {
      numRuns: runs,
      ...(seed === undefined ? { endOnFailure: true } : { seed: Number(seed) }),
    });
    expect(refused / runs).toBeLessThan(refusedMax);
    expect(1 - unused.size / all, `unused: ${[...unused].join(' ')}`).toBeGreaterThan(coverageMin);
  });
});
