// Every answer is the one that graphql-js gives. The slow test tries thousands of documents.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { settingsOfCases } from '../../../auth/mutation-cases.js';
import { useApp } from '../../../harness.js';
import { choiceLists, generateCase } from './document-generator.js';
import { compareWithReference, describeDifference, prepareGround, problemsOf } from './reference.js';
import type { Ground } from './reference.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
let ground: Ground;

beforeAll(async () => {
  ground = await prepareGround(running.app);
});

describe('A generated document', () => {
  it('has the answer of graphql-js', async () => {
    const property = fc.asyncProperty(choiceLists(80), async (choices) => {
      const generated = generateCase(choices, ground.known);
      expect({ document: generated.document, problems: problemsOf(generated) }).toMatchObject({ problems: [] });
      const verdict = await compareWithReference(ground, generated);
      if (typeof verdict === 'object') throw new Error(describeDifference(verdict));
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('A subscription', () => {
  it('is refused for a null where a list takes none, although the variable has a default', async () => {
    const document = 'subscription S($a: ChangeAction = CREATED) { changes(filter: { actions: [$a] }) { cursor } }';
    const run = { operationName: 'S', variables: { a: null }, isSubscription: true };
    expect(await compareWithReference(ground, { document, runs: [run] })).toBe('equal');
  });
});
