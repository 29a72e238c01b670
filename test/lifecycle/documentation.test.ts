// docs/executors.md lists the states of the tables.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { deploymentTransitions } from '../../src/lifecycle/deployment-states.js';
import { executionTransitions, taskTransitions } from '../../src/lifecycle/execution-states.js';

const style = { parser: 'markdown', printWidth: 120, singleQuote: true };
const page = new URL('../../docs/executors.md', import.meta.url);

type Table = Record<string, Partial<Record<string, string>>>;

/** The transitions that are not a caller's, as a diagram and as a table. */
function told(title: string, table: Table, without: string): string {
  const steps = Object.entries(table).flatMap(([from, leads]) =>
    Object.entries(leads).flatMap(([to, by]) => (by === without ? [] : [{ from, to, by }])),
  );
  const rows = Object.keys(table).map((from) => {
    const own = steps
      .filter((step) => step.from === from)
      .map(({ to, by }) => (by === 'executor' ? to : `${to} (${by})`));
    return `| ${from} | ${own.join(', ') || 'nothing'} |`;
  });
  const diagram = ['```mermaid', 'stateDiagram-v2', ...steps.map(({ from, to }) => `  ${from} --> ${to}`), '```'];
  return [`### ${title}`, '', '| from | to |', '| --- | --- |', ...rows, '', ...diagram, ''].join('\n');
}

it('docs/executors.md lists the states and transitions of the tables', async () => {
  const text = readFileSync(page, 'utf8');
  const parts = [
    told('Of a deployment', deploymentTransitions, 'caller'),
    told('Of a task', taskTransitions, ''),
    told('Of an execution', executionTransitions, ''),
  ];
  const made = text.replace(
    /(<!-- states:begin -->\n)[^]*(<!-- states:end -->)/,
    (_, begin: string, end: string) => `${begin}\n${parts.join('\n')}\n${end}`,
  );
  const wanted = await format(made, style);
  if (process.env['UPDATE_DOCS'] === 'yes') writeFileSync(page, wanted);
  expect(await format(readFileSync(page, 'utf8'), style)).toBe(wanted);
});
