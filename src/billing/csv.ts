// CSV (RFC 4180). The console uses this file, too.

/** How a text becomes a cell: guarded against spreadsheets, or unchanged for programs. */
export type CellOf = (text: string) => string;

/**
 * Formats a text as a cell. A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV
 * injection). Numbers stay as they are.
 */
export function csvCell(text: string): string {
  return rawCell(formula.test(text) && !number.test(text) ? `'${text}` : text);
}

/** Formats a text as a cell without the guard, for programs that read the text back. */
export function rawCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(cells: readonly string[], cellOf: CellOf = csvCell): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** The characters that start a formula, also in full width. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

const number = /^-?\d+(\.\d+)?$/;
