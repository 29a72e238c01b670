import { expect, it } from 'vitest';
import { percentOf } from '../../../src/console/web/budgets/budget-bar.js';

it.each<[part: bigint, percent: number]>([
  [0n, 0],
  [47n, 4.7],
  [505n, 51],
  [999n, 99],
  [1000n, 100],
  [1001n, 101],
  [1337n, 134],
])('A part of %d in 1000 is %d %%, and above 100 only if it is more', (part, percent) => {
  expect(percentOf(part, 1000n)).toBe(percent);
});
