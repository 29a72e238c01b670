export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

type Cell = string | Date | null;

/** What a command says, as text for people or as JSON for programs. */
export interface Print {
  /** Rows of a list; JSON: an array of objects with these columns. */
  table: <Column extends string>(columns: readonly Column[], rows: readonly Record<Column, Cell>[]) => void;
  /** What was done, in a sentence; JSON: the record alone. */
  done: (sentence: string, record: Record<string, Cell>) => void;
  /** Something that was not done, among much that was: a line on the other stream, and the exit code 1. */
  problem: (line: string) => void;
  /** A secret that is shown once: alone on a line of standard output, the note on the other stream; JSON: a record. */
  secret: (note: string, secret: Record<string, string>, record: Record<string, Cell>) => void;
}

/** Collects what a command prints. */
export function createPrint(isJson: boolean): { print: Print; result: CommandResult } {
  const result: CommandResult = { stdout: '', stderr: '', exitCode: 0 };
  const write = (line: string) => {
    result.stdout += `${line}\n`;
  };
  const problem = (line: string) => {
    result.stderr += `${visible(line)}\n`;
    result.exitCode = 1;
  };
  const text: Print = {
    problem,
    table: (columns, rows) => alignedLines(columns, rows).forEach(write),
    done: (sentence) => write(visible(sentence)),
    secret: (note, secret) => {
      result.stderr += `${visible(note)}\n`;
      Object.values(secret).forEach(write);
    },
  };
  const json: Print = {
    problem,
    table: (columns, rows) =>
      write(JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]]))))),
    done: (_sentence, record) => write(JSON.stringify(record)),
    secret: (_note, secret, record) => write(JSON.stringify({ ...record, ...secret })),
  };
  return { print: isJson ? json : text, result };
}

function alignedLines<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, Cell>[],
): string[] {
  const table = [columns.map(heading), ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  const widths = columns.map((_, index) => Math.max(...table.map((cells) => cells[index]?.length ?? 0)));
  return table.map((cells) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function heading(column: string): string {
  return column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
}

function cellText(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  return visible(cell instanceof Date ? cell.toISOString() : cell);
}

/** A name must not move the cursor of a terminal, nor break a line in two. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
