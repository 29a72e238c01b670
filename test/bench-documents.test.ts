// What the benchmarks send is valid: GraphQL documents and variables for the schema, paths and bodies for the REST routes. So
// a change of the API does not break a benchmark unnoticed. The smoke mode of the benchmarks runs them.
import { readdirSync, readFileSync } from 'node:fs';
import { Kind, buildSchema, getVariableValues, parse, validate } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../src/api/graphql/server/schema.js';
import { usageEventShape, usageFields } from '../src/metering/usage-shape.js';
import { matchRoute } from '../src/server/router.js';
import { accountsOf } from '../bench/metrics/generation.js';
import { eventsOf } from '../bench/metrics/ingestion-data.js';
import { pathOf, queriesOf } from '../bench/metrics/queries.js';
import { bodyOf } from '../bench/metrics/usage-requests.js';
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
    expect(documents.filter((each) => !isGeneric(each)).length).toBeGreaterThan(6);
    expect(documents.filter(isGeneric).map(({ file }) => file)).toEqual(['queries.ts']);
  });

  it.each(documents.filter((each) => !isGeneric(each)))('of $file: $document', ({ document }) => {
    expect(problemsOf(document, schema)).toEqual([]);
  });

  it.each(Object.entries(agents))('of the shape %s are valid for the schema of mercurius', (_, document) => {
    const peer = buildSchema(readFileSync(new URL('servers/mercurius.graphql', bench), 'utf8'));
    expect(problemsOf(document, peer)).toEqual([]);
  });
});

describe('The usage events of the benchmarks', () => {
  const [account] = accountsOf({ others: 0, eventsPerPoint: 1 });
  const events = account === undefined ? [] : eventsOf(account, 40);

  it('are variables of the mutation', () => {
    const { query, variables } = JSON.parse(bodyOf('graphql', events));
    const document = parse(query);
    expect(problemsOf(query, schema)).toEqual([]);
    const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
    const { errors } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
    expect(errors).toBeUndefined();
  });

  it.each(['json', 'ndjson'] as const)('are events of the REST route as %s', (way) => {
    const body = bodyOf(way, events);
    const read: unknown[] =
      way === 'json'
        ? JSON.parse(body)
        : body
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    expect(read).toHaveLength(40);
    for (const event of read) {
      expect(
        Object.keys(usageEventShape.parse(event)).filter((name) => !usageFields.some((field) => field === name)),
      ).toEqual([]);
    }
  });
});

describe('The REST paths of the benchmarks', () => {
  it.each(queriesOf('00000000-0000-4000-8000-000000000000'))(
    'of the metrics query "$name" have known parameters',
    (query) => {
      const { pathname, searchParams } = new URL(pathOf(query, 'account', 'cursor'), 'http://localhost');
      const { route } = matchRoute('GET', pathname.slice('/v0'.length));
      const known = Object.keys(route.query.shape);
      expect([...searchParams.keys()].filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  const paths = files.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/[`'}]\/v0(\/[\w/]+)[?`']/g), ([, path = '']) => ({ file, path })),
  );

  it.each(paths)('$path of $file has a route', ({ path }) => {
    expect(() => matchRoute(path === '/usage/events' ? 'POST' : 'GET', path)).not.toThrow();
  });

  it('are found', () => {
    expect(paths.length).toBeGreaterThan(4);
  });
});
