// CSV (RFC 4180).

/** Formats a text as a cell. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Formats a text as a cell with a leading apostrophe where needed, so that a spreadsheet does not run it as a formula
 * (OWASP, CSV injection).
 */
export function csvTextCell(text: string): string {
  return csvCell(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
