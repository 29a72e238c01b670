// Runs the blocks of one page in order, and says what is wrong with them.
import { readdirSync, rmSync } from 'node:fs';
import { z } from 'zod';
import type { PageBlock } from './page-blocks.js';
import { cloneFolder, demoKeyOf, PageShell, startDemo } from './page-shell.js';
import type { BlockResult, Demo } from './page-shell.js';

/**
 * Runs a page in a fresh shell beside a fresh demo.
 *
 * @param data the folder of a demo that was started once, which is copied.
 * @returns a text for each block that fails or does not do what the page says.
 */
export async function problemsOfPage(page: string, blocks: PageBlock[], data: string): Promise<string[]> {
  const folder = cloneFolder(data);
  const before = readdirSync(folder).toSorted();
  const demo = await startDemo(folder);
  const shell = new PageShell(folder, demo.host);
  const problems: string[] = [];
  try {
    for (const block of blocks.filter(({ notRun }) => notRun === undefined)) {
      const result =
        block.language === 'graphql'
          ? await send(block, demo, folder, shell)
          : await shell.run(block.text, block.run.stopAfter);
      const found = problemsOf(block, result);
      if (found.length > 0)
        problems.push(`${page}:${block.line}\n  ${found.join('\n  ')}\n${result.output.slice(0, 1_500)}`);
    }
    // npm keeps its cache in the home folder.
    const left = readdirSync(folder).filter((name) => !before.includes(name) && name !== '.npm');
    if (left.length > 0) problems.push(`${page} leaves ${left.join(', ')}`);
  } finally {
    await shell.close();
    await demo.stop();
    rmSync(folder, { recursive: true });
  }
  return problems;
}

/** What is wrong with the result of a block. */
function problemsOf(block: PageBlock, { output, stdout, failed, statuses }: BlockResult): string[] {
  const { prints = [], refused = [] } = block.run;
  const codes = Array.from(output.matchAll(/"(?:code|error)":\s?"(\w+)"/g), ([, code = '']) => code);
  const missing = refused.filter((code) => !codes.includes(code) && !statuses.includes(code));
  const unexpected = [...codes, ...statuses.filter((status) => !status.startsWith('2'))].filter(
    (each) => !refused.includes(each),
  );
  return [
    ...failed.map((command) => `failed: ${command}`),
    ...missing.map((code) => `was not refused: ${code}`),
    ...unexpected.map((code) => `was refused: ${code}`),
    ...prints.filter((text) => !output.includes(text)).map((text) => `does not print: ${text}`),
    ...(block.output === undefined ? [] : differences(block.output, stdout)),
  ];
}

/** How what the page shows differs from what was printed: the fields of JSON, and the lines of a text but for their numbers. */
function differences({ language, text }: { language: string; text: string }, stdout: string): string[] {
  if (language === 'json') {
    const printed = stdout.trim().split('\n').at(-1) ?? '';
    // A page can show a part of the response.
    const shapes = [text, printed].map((json) => fieldsOf(JSON.parse(json.replaceAll('…', ''))));
    const [shown = [], actual = []] = shapes;
    return shown
      .filter((field) => !actual.some((each) => each.endsWith(field)))
      .map((field) => `shows a field that is not printed: ${field}`);
  }
  const worded = (line: string) =>
    line
      .replaceAll(/[\d.]+/g, '0')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const lines = stdout.split('\n').map(worded);
  const shown = text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '…');
  return shown
    .filter((line) => !lines.some((each) => each.includes(worded(line.replace(/…$/, '')))))
    .map((line) => `shows a line that is not printed: ${line}`);
}

/** The paths of all fields, without the places of lists. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsOf(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => fieldsOf(each, `${path}.${name}`));
}

const answer = z.looseObject({ data: z.unknown(), errors: z.array(z.unknown()).optional() });

/** Sends a document as GraphiQL does in the demo. Its result looks like that of a command. */
async function send(block: PageBlock, demo: Demo, folder: string, shell: PageShell): Promise<BlockResult> {
  const given = Object.entries(block.run.variables ?? {});
  const variables: Record<string, unknown> = {};
  for (const [name, value] of given)
    variables[name] = typeof value === 'string' && value.startsWith('$') ? await shell.value(value.slice(1)) : value;
  const response = await fetch(`http://${demo.host}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoKeyOf(folder)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: block.text, variables }),
  });
  const stdout = await response.text();
  answer.parse(JSON.parse(stdout));
  return { output: stdout, stdout, failed: [], statuses: [String(response.status)] };
}
