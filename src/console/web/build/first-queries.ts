import { sentTexts } from './trusted-documents.ts';

/** The queries that the page sends before the script of its view is loaded, by operation name. */
const names = ['Viewer', 'States', 'ToneCounts'] as const;

/** The texts of these queries as the client with a cache sends them. @throws for an unknown one */
export function firstQueries(folder: string): Record<string, string> {
  const texts = sentTexts(folder);
  return Object.fromEntries(
    names.map((name) => {
      const text = texts.findLast((each) => new RegExp(`^query ${name}\\b`).test(each));
      if (text === undefined) throw new Error(`There is no query ${name}.`);
      return [name, text];
    }),
  );
}
