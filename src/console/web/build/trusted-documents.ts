// The documents of the console, exactly as it sends them: a gateway with trusted documents recognizes them by their
// text. The functions of the browser build the texts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequest, formatDocument, gql, stringifyDocument } from '@urql/core';
import { initGraphQLTada } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import { changeText, operations } from '../editing/change-text.ts';
import { changeables } from '../editing/changeables.ts';
import { countFields, countText, listFields, pageDocument } from '../lists/page-document.ts';
import { documentsIn, typesOf } from './documents.ts';
import type { SourceDocument } from './documents.ts';

type Make = (text: string, fragments: readonly DocumentNode[]) => DocumentNode;

/** Every text that the console sends, by its SHA-256. @throws for an unknown fragment */
export function trustedDocuments(folder: string): Record<string, string> {
  const texts = sentTexts(folder);
  return Object.fromEntries(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]));
}

/** The texts of each client: first the one without a cache, then the one with a cache. */
export function sentTexts(folder: string): string[] {
  const sources = documentsIn(folder);
  const make: Make = initGraphQLTada();
  const built = new Map<SourceDocument, DocumentNode>();
  const documentOf = (source: SourceDocument): DocumentNode => {
    const before = built.get(source);
    if (before !== undefined) return before;
    const fragments = source.fragments.map((name) => documentOf(named(folder, sources, source.file, name)));
    const document = make(source.text, fragments);
    built.set(source, document);
    return document;
  };
  const written = sources.filter(({ text }) => !/^\s*fragment /.test(text)).map(documentOf);
  const changes = typesOf(changeables).flatMap((type) =>
    operations.map((operation) => gql(changeText(operation, type))),
  );
  const pages = typesOf(listFields).map((type) => {
    const row = sources.find(({ text }) => text.trimStart().startsWith(`fragment ${type}Row on ${type} `));
    if (row === undefined) throw new Error(`There is no fragment ${type}Row for the pages of a list.`);
    return pageDocument(type, documentOf(row));
  });
  const counts = typesOf(countFields).map((type) => gql(countText(type)));
  return [...written, ...changes, ...pages, ...counts].flatMap(textsOf);
}

/** Each document in the texts of both clients: the one with a cache adds `__typename` fields. */
function textsOf(document: DocumentNode): string[] {
  const { query } = createRequest(document, {});
  return [stringifyDocument(query), stringifyDocument(Object.assign({}, query, formatDocument(query)))];
}

/** The document of a constant that a file declares or imports. */
function named(folder: string, sources: readonly SourceDocument[], file: string, name: string): SourceDocument {
  const own = sources.find((each) => each.file === file && each.name === name);
  if (own !== undefined) return own;
  const imports = readFileSync(join(folder, file), 'utf8').matchAll(/import \{([^}]*)\} from '(\.[^']+)\.js'/g);
  for (const [, names = '', path = ''] of imports) {
    const from = `${join(dirname(file), path)}.ts`;
    const found = sources.find((each) => each.file === from && each.name === name);
    if (found !== undefined && names.split(',').some((each) => each.trim() === name)) return found;
  }
  throw new Error(`${file} gives the fragment ${name}, which is not found.`);
}
