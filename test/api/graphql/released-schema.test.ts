// The schema compared with those of released versions: a request that was valid stays valid (docs/graphql.md). At a release,
// schema.graphql is copied to released/ under the name of the version.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { buildSchema, findBreakingChanges } from 'graphql';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const folder = new URL('released/', import.meta.url);
const textOf = (url: URL) => readFileSync(url, 'utf8');

/** The changes that break requests, in words. */
function breakingChanges(released: string, current: string): string[] {
  return findBreakingChanges(buildSchema(released), buildSchema(current)).map(({ description }) => description);
}

const released = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.graphql')) : [];
const current = textOf(new URL('schema.graphql', root));

describe('The schema', () => {
  it.each(released)('keeps every element of %s', (name) => {
    expect(breakingChanges(textOf(new URL(name, folder)), current)).toEqual([]);
  });

  it('is stored for each released version since 0.1.0', () => {
    const versions = Array.from(
      textOf(new URL('docs/CHANGELOG.md', root)).matchAll(/^## (\d+\.\d+\.\d+)(?!.*not released)/gm),
      ([, version]) => `${version}.graphql`,
    );
    expect(released.toSorted()).toEqual(versions.toSorted());
  });
});

describe('The comparison of two schemas', () => {
  const before =
    'type Query { list(first: Int): [Int!]! name: String } enum Color { RED } input Filter { name: String }';

  it.each([
    ['a field that is removed', 'name: String', '', 'Query.name was removed.'],
    ['an output that can be null', '[Int!]!', '[Int!]', 'Query.list changed type from [Int!]! to [Int!].'],
    [
      'an argument that is required',
      'first: Int',
      'first: Int!',
      'Query.list arg first has changed type from Int to Int!.',
    ],
    ['an enum value that is renamed', 'RED', 'ROUGE', 'RED was removed from enum type Color.'],
    [
      'a new input that is required',
      'name: String }',
      'name: String age: Int! }',
      'A required field age on input type Filter was added.',
    ],
  ])('reports %s', (_change, from, to, expected) => {
    const index = before.lastIndexOf(from);
    const after = before.slice(0, index) + to + before.slice(index + from.length);
    expect(breakingChanges(before, to === '' ? before.replace(' name: String }', ' }') : after)).toEqual([expected]);
  });

  it('allows new fields, optional arguments and enum values', () => {
    const after =
      'type Query { list(first: Int, last: Int): [Int!]! name: String! age: Int } enum Color { RED BLUE } input Filter { name: String age: Int }';
    expect(breakingChanges(before, after)).toEqual([]);
  });
});
