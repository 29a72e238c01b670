import { expect, it } from 'vitest';
import { workKinds } from '../../../src/console/web/platform/executor-queries.js';
import { executorKinds } from '../../../src/lifecycle/work-kinds.js';

it('The form of an executor offers every kind of work', () => {
  expect(workKinds.map(({ value }) => value).toSorted()).toEqual(executorKinds.toSorted());
});
