// The triggers of the database, and the table in docs/architecture.md that says why each of them is one.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';

const running = useApp();

/** The triggers in the rows of the table: a name that begins with an ellipsis is that of a trigger of each table. */
function documented(): string[] {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const [, section = ''] = page.split('#### Triggers');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => {
    const [, names = '', tables = '', reason = ''] = row.split('|').map((cell) => cell.trim());
    expect(reason).not.toBe('');
    const triggers = [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []);
    const [first = ''] = triggers;
    const group = /^…_(\w+)_\w+$/.exec(first)?.[1];
    return tables.split(', ').flatMap((table) =>
      triggers.map((name, index) => {
        if (!name.startsWith('…')) return name;
        return index === 0 || group === undefined ? name.replace('…', table) : name.replace('…', `${table}_${group}`);
      }),
    );
  });
}

describe('The table of triggers', () => {
  it('lists each trigger of the database, and no other', async () => {
    const rows = await running.app.services.db.$queryRaw<{ name: string }[]>`
      SELECT tgname::text AS "name" FROM pg_trigger WHERE NOT tgisinternal`;
    expect(documented().toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });
});
