import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';

/** Every rule of GraphQL that a document in the sources breaks against the schema: one line each, naming its file. */
export function documentProblems(folder: string, sdl: string): string[] {
  const schema = buildSchema(sdl);
  const documents = documentsIn(folder);
  // Fragments may stand in another file than what spreads them: each document is checked together with them.
  const fragments = new Map(
    documents.flatMap(({ text }) => {
      const name = /^\s*fragment (\w+) on/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
  return documents.flatMap(({ file, text }) => {
    const isFragment = /^\s*fragment /.test(text);
    const whole = withFragments(isFragment ? `${text} query Check { __typename }` : text, fragments);
    const errors = validate(schema, parse(whole)).filter(
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

function documentsIn(folder: string): { file: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\bgraphql\(\s*`([^`]+)`/g)].map(([, text = '']) => ({
      file,
      text,
    })),
  );
}
