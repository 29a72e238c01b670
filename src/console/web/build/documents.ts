import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { countFields, countText, listFields, pageText } from '../lists/page-document.ts';

/** The schema errors of the documents in the sources: one line each, with the file name. */
export function documentProblems(folder: string, sdl: string): string[] {
  const schema = buildSchema(sdl);
  const documents = documentsIn(folder);
  // A fragment can be in another file than its spread, so each document is checked together with its fragments.
  const fragments = new Map(
    documents.flatMap(({ text }) => {
      const name = /^\s*fragment (\w+) on/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
  const pages = typesOf(listFields).map((type) => ({ file: `the page of ${type}`, text: pageText(type) }));
  const counts = typesOf(countFields).map((type) => ({ file: `the counts of ${type}`, text: countText(type) }));
  return [...documents, ...pages, ...counts].flatMap(({ file, text }) => {
    const isFragment = /^\s*fragment /.test(text);
    const complete = withFragments(isFragment ? `${text} query Check { __typename }` : text, fragments);
    const errors = validate(schema, parse(complete)).filter(
      ({ message }) => !/^Fragment "\w+" is never used/.test(message),
    );
    return errors.map(({ message }) => `${file}: ${message}`);
  });
}

function withFragments(text: string, fragments: ReadonlyMap<string, string>): string {
  const names = new Set<string>();
  const collect = (part: string): void => {
    for (const [, name = ''] of part.matchAll(/\.\.\.\s*([A-Z]\w*)/g)) {
      const fragment = fragments.get(name);
      if (fragment === undefined || names.has(name) || text.includes(`fragment ${name} on`)) continue;
      names.add(name);
      collect(fragment);
    }
  };
  collect(text);
  return [text, ...[...names].map((name) => fragments.get(name) ?? '')].join('\n');
}

/** A document in the sources. */
export interface SourceDocument {
  /** Relative to the folder. */
  file: string;
  text: string;
  /** The constant that contains it; empty if none does. */
  name: string;
  /** The constants of its fragments, in their order. */
  fragments: string[];
}

const call = /(?:\bconst (\w+) = )?\bgraphql\(\s*`([^`]+)`(?:,\s*\[([^\]]*)\])?/g;

export function documentsIn(folder: string): SourceDocument[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(call)].map(([, name = '', text = '', spreads = '']) => ({
      file,
      text,
      name,
      fragments: spreads.split(',').flatMap((each) => each.trim() || []),
    })),
  );
}

/** The keys of a table, as its type lists them. */
export function typesOf<Type extends string>(table: Record<Type, unknown>): Type[] {
  const isType = (word: string): word is Type => word in table;
  return Object.keys(table).filter(isType);
}
