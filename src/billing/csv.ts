// CSV (RFC 4180).

/** A text as a cell. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text as a cell that a spreadsheet takes for text: a leading apostrophe keeps it from being run as a formula (OWASP, CSV
 * injection).
 */
export function csvTextCell(text: string): string {
  return csvCell(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
