// docs/writing.md, as far as it can be checked without running it: its mutations and documents are valid.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buildSchema, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { applyKinds } from '../../src/manifests/apply-kind.js';
import { readDocumentFiles } from '../../src/manifests/document-files.js';
import { titleOf } from '../../src/manifests/document.js';

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const page = file('docs/writing.md');
const schema = buildSchema(file('schema.graphql'));

it.each([...page.matchAll(/'(mutation \([^']+)'/g)].map(([, mutation = '']) => mutation))(
  'the mutation in the docs is valid: %s',
  (mutation) => {
    expect(validate(schema, parse(mutation))).toEqual([]);
  },
);

it('the docs have a mutation for each way to write', () => {
  for (const name of ['createAgent', 'updateAgent', 'deleteAgent', 'runJob'])
    expect(page).toContain(`${name}(input: $input)`);
});

it('the docs show valid documents for apply', async () => {
  const [, documents = ''] = /<<'END_OF_FILE'\n(.+?)\nEND_OF_FILE/s.exec(page) ?? [];
  const source = { from: '-', folder: '.', standardInput: Readable.from([documents]), workspace: undefined };
  const { documents: read, bad } = await readDocumentFiles(source);
  expect(bad).toEqual([]);
  expect(read.map(titleOf)).toEqual(['Volume meridian-staging/try-out', 'Agent meridian-staging/try-out']);
});

it('the docs name every kind', () => {
  for (const { name } of applyKinds) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
});
