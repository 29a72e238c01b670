/** A table as RFC 4180 has it. A text that a spreadsheet would run as a formula is told to be a text. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const isFormula = /^[=+@\t\r]/.test(text) || (text.startsWith('-') && !/^-?\d+(\.\d+)?$/.test(text));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
