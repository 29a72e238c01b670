// Reads .env files with the grammar of the package dotenv. In addition, it reports what dotenv ignores: names that are
// defined several times, and lines that are not variables.

export interface DotenvVariable {
  name: string;
  value: string;
}

export interface DotenvFile {
  /** The last value of each name, in the order of the first. */
  variables: DotenvVariable[];
  /** Names that are defined more than once. */
  duplicates: string[];
  /** The numbers of lines that are neither a variable, a comment nor empty, from 1. */
  skippedLines: number[];
}

const definition =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

export function readDotenv(text: string): DotenvFile {
  const lines = text.replace(/\r\n?/g, '\n');
  const found = Array.from(lines.matchAll(definition), ([whole, name = '', raw = ''], index) => ({
    name,
    value: unquoted(raw.trim()),
    index,
    whole,
  }));
  const names = found.map(({ name }) => name);
  return {
    variables: Array.from(new Map(found.map(({ name, value }) => [name, value])), ([name, value]) => ({ name, value })),
    duplicates: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
    skippedLines: skippedIn(lines),
  };
}

/** Whether a text is a file, and not one name. */
export function isDotenv(text: string): boolean {
  return text.trim().includes('\n') || /^\s*(?:export\s+)?[\w.-]+\s*=/.test(text);
}

function unquoted(raw: string): string {
  const inner = raw.replace(/^(['"`])([\s\S]*)\1$/gm, '$2');
  return raw.startsWith('"') ? inner.replace(/\\n/g, '\n').replace(/\\r/g, '\r') : inner;
}

function skippedIn(lines: string): number[] {
  // Definitions become as many empty lines, so that the numbers of the other lines stay.
  const rest = lines.replace(definition, (whole) => whole.replace(/[^\n]/g, ''));
  return rest.split('\n').flatMap((line, index) => (/^\s*(?:#.*)?$/.test(line) ? [] : [index + 1]));
}
