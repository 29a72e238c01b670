// The code blocks of the pages, and the marks of the documentation test. A mark is a comment on the line before a block:
//
//   <!-- not run: REASON -->            the block is not run
//   <!-- run: {"prints": ["text"]} -->  the block is run, and its output has these texts
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const marks = z.strictObject({
  /** Texts that the output has. */
  prints: z.array(z.string()).optional(),
  /** Codes of errors and HTTP statuses that the block causes on purpose. */
  refused: z.array(z.string()).optional(),
  /** Variables of a GraphQL document. Texts that start with $ are variables of the shell. */
  variables: z.record(z.string(), z.unknown()).optional(),
  /** Whether the block after it has its output (default: true, if one follows under the same heading). */
  output: z.literal(false).optional(),
  /** The block does not end by itself: it is stopped after so many seconds. */
  stopAfter: z.number().optional(),
});

export type Marks = z.output<typeof marks>;

export interface PageBlock {
  /** Line of the fence, from 1. */
  line: number;
  language: string;
  text: string;
  /** Why it is not run. */
  notRun?: string;
  run: Marks;
  /** The block that follows, if it has the output of this one. */
  output?: { language: string; text: string };
}

const fence = /^( *)```(\w*)\n(.*?)^ *```$/gms;

/** The blocks of a page that a reader runs, in their order: those of a shell, and GraphQL documents. */
export function blocksOf(file: URL): PageBlock[] {
  const page = readFileSync(file, 'utf8');
  const found = [...page.matchAll(fence)].map(([whole, indent = '', language = '', body = ''], index, all) => {
    const start = all[index]?.index ?? 0;
    const [, kind, mark = ''] =
      /^<!-- (not run|run): ([^]*) -->\s*$/.exec(page.slice(page.lastIndexOf('<!--', start), start)) ?? [];
    return {
      start,
      end: start + whole.length,
      line: page.slice(0, start).split('\n').length,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      run: kind === 'run' ? marks.parse(JSON.parse(mark)) : {},
      ...(kind === 'not run' ? { notRun: mark } : {}),
    };
  });
  return found.flatMap((block, index) => {
    if (block.language !== 'sh' && block.language !== 'graphql') return [];
    const next = found[index + 1];
    const isOutput =
      next !== undefined &&
      ['json', ''].includes(next.language) &&
      next.notRun === undefined &&
      block.run.output === undefined &&
      !/^#/m.test(page.slice(block.end, next.start));
    return [{ ...block, ...(isOutput ? { output: { language: next.language, text: next.text } } : {}) }];
  });
}
