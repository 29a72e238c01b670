// The blocks of each page, pasted by someone new: in order, into a fresh shell beside a fresh demo, clean-up included. A
// block that cannot run here has a mark with the reason in the source of the page (page-blocks.ts).
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from './page-blocks.js';
import { problemsOfPage } from './page-run.js';
import { cloneFolder, startDemo } from './page-shell.js';

const root = new URL('../', import.meta.url);

/** Pages whose blocks another test runs, on data of its own or with packages of its own. */
const runElsewhere: Record<string, string> = {
  'docs/graphql.md': 'test/api/graphql/conventions.test.ts',
  'docs/clients.md': 'test/clients/recipes.slow.test.ts',
  'docs/executors.md': 'test/lifecycle/executors-page.slow.test.ts',
};

const pages = ['README.md', 'bench/README.md', ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)]
  .filter((page) => page.endsWith('.md') && !Object.hasOwn(runElsewhere, page))
  .map((page) => ({ page, blocks: blocksOf(new URL(page, root)) }))
  .filter(({ blocks }) => blocks.some(({ notRun }) => notRun === undefined));

let template = '';

beforeAll(async () => {
  template = cloneFolder();
  const demo = await startDemo(template);
  await demo.stop();
}, 240_000);

afterAll(() => rmSync(template, { recursive: true, force: true }));

describe.each(pages)('$page', ({ page, blocks }) => {
  it('runs as it stands', { timeout: 300_000 }, async () => {
    const problems = await problemsOfPage(page, blocks, join(template, 'data'));
    expect(problems.join('\n\n')).toBe('');
  });
});

describe('The blocks that are not run', () => {
  it('are in pages that this test runs, or another one', () => {
    expect(Object.values(runElsewhere).filter((test) => !existsSync(new URL(test, root)))).toEqual([]);
  });

  it('have a reason', () => {
    const notRun = pages.flatMap(({ page, blocks }) =>
      blocks.flatMap(({ line, notRun }) => (notRun === undefined ? [] : [{ at: `${page}:${line}`, notRun }])),
    );
    process.stderr.write(notRun.map(({ at, notRun: reason }) => `${at} is not run: ${reason}\n`).join(''));
    expect(notRun.filter(({ notRun: reason }) => reason.length < 10)).toEqual([]);
  });
});
