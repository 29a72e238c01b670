// The GraphQL documents that the benchmarks send are valid for the schema, so that a change of the schema does not break
// a benchmark unnoticed.
import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../src/api/graphql/server/schema.js';
import { agents } from '../bench/queries.js';

const bench = new URL('../bench/', import.meta.url);

const files = readdirSync(bench, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules') && !file.startsWith('servers/'))
  .map((file) => ({ file, text: readFileSync(new URL(file, bench), 'utf8') }));

/** The texts of a program: between backticks, or quotes. */
function textsOf(program: string): string[] {
  return Array.from(
    program.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g),
    ([, long, short]) => long ?? short ?? '',
  );
}

/** Replaces constants of the same file by their texts, and other values within quotes by a name. */
function resolved(text: string, program: string): string {
  return text
    .replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
      const [, constant] = new RegExp(`const ${name} =\\s*['\`]([^'\`]*)['\`];`).exec(program) ?? [];
      return constant ?? whole;
    })
    .replaceAll(/"\$\{[^}]*\}"/g, '"x"');
}

const documents = files.flatMap(({ file, text }) =>
  textsOf(text)
    .filter((each) => /^\s*(?:(?:query|mutation|subscription)\b\s*\w*\s*[({]|\{\s*\w+(?: \{|\())/.test(each))
    .map((each) => ({ file, document: resolved(each, text) })),
);

/** Documents whose fields are parameters of a function; one of them is for PostGraphile. */
const isGeneric = ({ document }: { document: string }) => document.includes('${');

function problemsOf(document: string, of: GraphQLSchema): string[] {
  return validate(of, parse(document)).map(({ message }) => message);
}

describe('The documents of the benchmarks', () => {
  it('are found', () => {
    expect(documents.filter((each) => !isGeneric(each)).length).toBeGreaterThan(15);
    expect(documents.filter(isGeneric).map(({ file }) => file)).toEqual(['lifecycle.ts', 'queries.ts']);
  });

  it.each(documents.filter((each) => !isGeneric(each)))('of $file: $document', ({ document }) => {
    expect(problemsOf(document, schema)).toEqual([]);
  });

  it.each(Object.entries(agents))('of the shape %s are valid for the schema of mercurius', (_, document) => {
    const peer = buildSchema(readFileSync(new URL('servers/mercurius.graphql', bench), 'utf8'));
    expect(problemsOf(document, peer)).toEqual([]);
  });
});
