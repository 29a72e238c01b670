// The number of items of a list, and of entries of a map, is checked before any of them.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/errors.js';
import { executionRequest } from '../../src/resources/jobs/execution-request.js';
import { previewSpec } from '../../src/resources/sandboxes/preview.js';
import { sandboxSpec } from '../../src/resources/sandboxes/sandbox.js';
import { metadata } from '../../src/schema/resource.js';
import { readInput, readUpdate } from '../../src/schema/shape-value.js';

function problemsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.problems) return error.problems.map(({ message }) => message);
    throw error;
  }
}

const wrongItems = (count: number) => Array.from({ length: count }, () => ({ unknown: 1 }));
const wrongEntries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

describe('An input over a limit', () => {
  it.each([
    ['labels as a map', metadata, { name: 'a', labels: wrongEntries(9_000) }, 'labels must be at most 50 entries'],
    ['labels as a list', metadata, { name: 'a', labels: wrongItems(9_000) }, 'labels must be at most 50 entries'],
    ['headers', previewSpec, { requestHeaders: wrongEntries(9_000) }, 'requestHeaders must be at most 1000 entries'],
    [
      'variables by name',
      executionRequest,
      { envOverride: wrongEntries(9_000) },
      'envOverride must be at most 1000 entries',
    ],
    ['tasks', executionRequest, { tasks: wrongItems(9_000) }, 'tasks must be at most 1000 items'],
    ['variables', sandboxSpec, { runtime: { envs: wrongItems(9_000) } }, 'runtime.envs must be at most 1000 items'],
  ])('returns only that error: %s', (_what, schema, given, message) => {
    expect(problemsOf(() => readInput(schema, given))).toEqual([message]);
    expect(problemsOf(() => readUpdate(schema, { name: 'a' }, given))).toEqual([message]);
  });

  it('is rejected before any item or entry is validated', () => {
    let checked = 0;
    const counted = z.string().refine(() => {
      checked++;
      return false;
    });
    const shape = z.object({ list: z.array(counted).max(5), map: z.record(counted, counted) });
    const given = { list: Array.from({ length: 6 }, () => 'a'), map: wrongEntries(1_001) };
    expect(problemsOf(() => readInput(shape, given))).toEqual([
      'list must be at most 5 items',
      'map must be at most 1000 entries',
    ]);
    expect(checked).toBe(0);
  });

  it('is reported with the beginning of a name of 200,000 characters', () => {
    const given = { requestHeaders: { ['n'.repeat(200_000)]: 1 } };
    for (const message of problemsOf(() => readInput(previewSpec, given))) expect(message.length).toBeLessThan(300);
  });
});
