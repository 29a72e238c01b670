// Parses NDJSON (one JSON value per line) from a stream of bytes. Only a line feed ends a line, because JSON cannot
// contain one unescaped.
import { isUtf8 } from 'node:buffer';

/** A value and its line. */
export interface JsonLine {
  line: number;
  /** The length of the line, if known. */
  length?: number;
  event: unknown;
  /** Why the line could not be parsed. */
  problem?: string | undefined;
  /** The text of the line. */
  text?: string;
}

/** The file or body has another format than expected. The values before the error were read. */
export class UnreadableFile extends Error {}

/** The maximum length of a line (bytes). Longer lines are rejected; the lines after them are read. */
const lineBytesMax = 1_000_000;

const tooLong = `it is longer than ${lineBytesMax} bytes: NDJSON has one event per line`;

/** The length (bytes) from which a line counts as endless. */
const endlessBytesMin = 8_000_000;

/** The number of characters kept of a line that is too long. */
const excerptLength = 200;

/** Longer than most events (characters). */
const shortMax = 4_000;

const lineFeed = 10;

/**
 * Yields the lines completed by each chunk, without empty ones. A line that cannot be parsed has a problem.
 *
 * @throws {UnreadableFile} for an endless line.
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<JsonLine[]> {
  let line = 1;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const received of chunks) {
    let chunk = typeof received === 'string' ? Buffer.from(received) : received;
    if (begunBytes > lineBytesMax) {
      const end = chunk.indexOf(lineFeed);
      // Drop the rest of a line that is too long.
      begunBytes += chunk.length;
      if (end < 0 && begunBytes > endlessBytesMin)
        throw new UnreadableFile('a line is not terminated: NDJSON has one event per line');
      if (end < 0) continue;
      yield [tooLongLine(begun, line)];
      line++;
      chunk = chunk.subarray(end + 1);
      [begun, begunBytes] = [[], 0];
    }
    const end = chunk.lastIndexOf(lineFeed);
    if (end >= 0) {
      const texts = textsOf(Buffer.concat([...begun, chunk.subarray(0, end)]));
      yield readLines(texts, line);
      line += texts.length;
      [begun, begunBytes] = [[], 0];
    }
    begun.push(chunk.subarray(end + 1));
    begunBytes += chunk.length - end - 1;
  }
  yield begunBytes > lineBytesMax ? [tooLongLine(begun, line)] : readLines(textsOf(Buffer.concat(begun)), line);
}

function tooLongLine(begun: readonly Buffer[], line: number): JsonLine {
  const text = Buffer.concat(begun).toString('utf8', 0, excerptLength);
  return unreadable(line, tooLong, `${text}…`);
}

/** The text of a line; bytes when it is not UTF-8. */
type LineText = string | Buffer;

function textsOf(block: Buffer): LineText[] {
  if (isUtf8(block)) return block.toString('utf8').split('\n');
  const texts: LineText[] = [];
  for (let from = 0; from <= block.length;) {
    const end = block.indexOf(lineFeed, from);
    const bytes = block.subarray(from, end < 0 ? block.length : end);
    texts.push(isUtf8(bytes) ? bytes.toString('utf8') : bytes);
    from += bytes.length + 1;
  }
  return texts;
}

function readLines(texts: readonly LineText[], first: number): JsonLine[] {
  const lines: JsonLine[] = [];
  for (const [index, lineText] of texts.entries()) {
    const line = first + index;
    const text = line === 1 && typeof lineText === 'string' ? lineText.replace(/^\uFEFF/, '') : lineText;
    if (typeof text !== 'string') lines.push(unreadable(line, 'it is not UTF-8', text.toString('utf8')));
    else if (text.trim() !== '') lines.push(text.length > shortMax ? readLine(text, line) : new ShortLine(line, text));
  }
  return lines;
}

/**
 * Parses its line on each access, so that parsed values are not kept in memory. Longer lines are parsed on arrival, so
 * that few are parsed in one go.
 */
class ShortLine implements JsonLine {
  constructor(
    readonly line: number,
    readonly text: string,
  ) {}

  get length(): number {
    return this.text.length;
  }

  get event(): unknown {
    return readLine(this.text, this.line).event;
  }

  get problem(): string | undefined {
    return readLine(this.text, this.line).problem;
  }
}

function readLine(text: string, line: number): JsonLine {
  try {
    const event: unknown = JSON.parse(text);
    return { line, event, text, length: text.length };
  } catch {
    return unreadable(line, 'it is not JSON', text);
  }
}

function unreadable(line: number, problem: string, text: string): JsonLine {
  return { line, event: undefined, problem, text, length: text.length };
}
