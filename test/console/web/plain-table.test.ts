import { createElement } from 'react';
import { expect, it } from 'vitest';
import { groupsOf } from '../../../src/console/web/access/scope-choice.js';
import { apiKeyScopes } from '../../../src/auth/scopes.js';
import { compare, PlainTable } from '../../../src/console/web/look/plain-table.js';
import { renderPart, textOf } from './render.js';

it('renders the first 200 of many rows, and says how many there are', async () => {
  const rendered = async (count: number) => {
    const rows = Array.from({ length: count }, (_none, index) => index);
    return renderPart(
      createElement(PlainTable<number>, {
        columns: ['Number'],
        hasNoActions: true,
        rows,
        children: (row) => createElement('tr', { key: row }, createElement('td', {}, row)),
      }),
    );
  };
  const html = await rendered(5000);
  expect(html.match(/<td>/g)).toHaveLength(200);
  expect(textOf(html)).toMatch(/Showing 200 of 5,000 rows\. Show more$/);
  expect(textOf(await rendered(200))).toMatch(/ 198 199$/);
});

it('sorts names with their numbers, amounts by size, and rows without a value last', () => {
  expect(['b', 'a10', 'a9'].toSorted(compare)).toEqual(['a9', 'a10', 'b']);
  expect([3n, -1n, 20n].toSorted((one, other) => compare(one, other, true))).toEqual([20n, 3n, -1n]);
  for (const isDescending of [false, true]) {
    expect([null, 'b', 'a', undefined].toSorted((one, other) => compare(one, other, isDescending)).slice(2)).toEqual([
      null,
      undefined,
    ]);
  }
});

it('offers every scope of the API for keys once, in groups, and keeps those of a credential that are unknown', () => {
  const groups = groupsOf(apiKeyScopes, ['something:new']);
  const offered = groups.flatMap(({ scopes }) => scopes);
  expect(offered.toSorted()).toEqual(
    [...apiKeyScopes.filter((scope) => scope !== 'admin'), 'something:new'].toSorted(),
  );
  expect(groups.find(({ name }) => name === 'Usage and costs')?.scopes).toEqual([
    'metrics:read',
    'usage:correct',
    'usage:write',
  ]);
});
