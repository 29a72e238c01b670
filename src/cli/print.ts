export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

type Cell = string | Date | null;

/** A record of JSON output. */
type PrintedRecord = Record<string, Cell | boolean>;

/** Prints the output of a command, as text or as JSON. */
export interface Print {
  /** Prints rows. JSON: an array of objects with these columns. */
  table: <Column extends string>(columns: readonly Column[], rows: readonly Record<Column, Cell>[]) => void;
  /** Prints a sentence about the change. JSON: only the record. */
  done: (sentence: string, record: PrintedRecord) => void;
  /** Prints a line on standard error, and sets the exit code 1. The command continues. */
  problem: (line: string) => void;
  /** Prints a secret on standard output, and the note on standard error. JSON: one record with both. */
  secret: (note: string, secret: Record<string, string>, record: Record<string, Cell>) => void;
}

/** Collects the output of a command. */
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
  const widths = columns.map((_, index) =>
    table.reduce((width, cells) => Math.max(width, cells[index]?.length ?? 0), 0),
  );
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

/** Escapes control characters: a name must not move the cursor of a terminal or break a line. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A number with its noun: `1 country`, `2 countries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
