import { expect, it } from 'vitest';
import { schema } from '../../src/api/graphql/server/schema.js';
import { cases, endingCaller, ofExecutors } from './mutation-cases.js';

it('Every mutation has a case for the tests of permissions and of round trips', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const known = [...Object.keys(cases), ...endingCaller, ...ofExecutors];
  expect(known.toSorted(), 'add a case to test/auth/mutation-cases.ts').toEqual(mutations.toSorted());
});
