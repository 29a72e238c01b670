// Files of documents, YAML or JSON, one after the other. All are read before anything is done, so that a slip in the
// last one does not leave half of them applied.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { LineCounter, isSeq, parseAllDocuments } from 'yaml';
import { readDocument, titleOf } from './document.js';
import type { Document, Place } from './document.js';
import type { DocumentProblem } from './shape-document.js';

/** A file that cannot be read. The message names it. */
export class UnreadableFileError extends Error {}

/** A document that is none, and all that is wrong with it. */
export interface BadDocument {
  place: Place;
  problems: (DocumentProblem & { line?: number })[];
}

export interface DocumentFiles {
  documents: Document[];
  bad: BadDocument[];
}

interface DocumentSource {
  /** A file, a folder, or `-` for what is piped in. */
  from: string;
  /** What paths start from. */
  folder: string;
  standardInput: Readable;
  /** Where documents are that do not say. */
  workspace: string | undefined;
}

/**
 * Reads all documents of a file, of the .yaml, .yml and .json files of a folder and those below it, or of what is
 * piped in. A document may be a list of documents.
 *
 * @throws {UnreadableFileError}
 */
export async function readDocumentFiles(source: DocumentSource): Promise<DocumentFiles> {
  const read: DocumentFiles = { documents: [], bad: [] };
  for (const { file, content } of await contentsOf(source)) readContent(file, content, source.workspace, read);
  refuseTwice(read);
  return read;
}

async function contentsOf({
  from,
  folder,
  standardInput,
}: DocumentSource): Promise<{ file: string; content: string }[]> {
  if (from === '-') return [{ file: 'standard input', content: await text(standardInput) }];
  try {
    const files = (await stat(resolve(folder, from))).isDirectory() ? await filesBelow(resolve(folder, from)) : [''];
    return await Promise.all(
      files.map(async (file) => {
        const name = join(from, file);
        return { file: name, content: await readFile(resolve(folder, name), 'utf8') };
      }),
    );
  } catch (error) {
    throw new UnreadableFileError(`${from}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /\.(ya?ml|json)$/.test(name)).toSorted();
}

function readContent(file: string, content: string, workspace: string | undefined, read: DocumentFiles): void {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : lines.linePos(offset).line);
  let count = 0;
  for (const parsed of [parseAllDocuments(content, { lineCounter: lines, prettyErrors: false, merge: true })].flat()) {
    if (parsed.errors.length > 0) {
      const problems = parsed.errors.map(({ message, pos }) => ({ path: [], message, ...optional(lineAt(pos[0])) }));
      read.bad.push({ place: { file, document: ++count }, problems });
      continue;
    }
    const given = valueOf(parsed);
    if (given instanceof Error) {
      read.bad.push({ place: { file, document: ++count }, problems: [{ path: [], message: given.message }] });
      continue;
    }
    // What stands between two lines of dashes may be nothing but a comment.
    if (given == null) continue;
    const isList = isSeq(parsed.contents) && Array.isArray(given);
    for (const [index, each] of (isList ? given : [given]).entries()) {
      const place = { file, document: ++count };
      const result = readDocument(each, place, workspace);
      if ('document' in result) read.documents.push(result.document);
      else {
        const problems = result.problems.map((problem) => {
          const path = isList ? [index, ...problem.path] : problem.path;
          return { ...problem, ...optional(lineAt(offsetOf(parsed, path))) };
        });
        read.bad.push({ place, problems });
      }
    }
  }
}

function valueOf(parsed: { toJS: () => unknown }): unknown {
  try {
    return parsed.toJS();
  } catch (error) {
    // Aliases of aliases, which would become more than a machine holds.
    return error instanceof Error ? error : new Error('cannot be read');
  }
}

/** Where the field of a path begins, or the nearest that is there above it. */
function offsetOf(
  parsed: { getIn: (path: unknown[], keepScalar: boolean) => unknown },
  path: (string | number)[],
): number | undefined {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = parsed.getIn(path.slice(0, depth), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0];
  }
  return undefined;
}

function optional(line: number | undefined): { line?: number } {
  return line === undefined ? {} : { line };
}

/** Which of two would hold is not to be guessed. */
function refuseTwice(read: DocumentFiles): void {
  const seen = new Map<string, Place>();
  for (const document of read.documents) {
    const title = titleOf(document);
    const first = seen.get(title);
    if (first === undefined) seen.set(title, document.place);
    else {
      const message = `${title} is already in ${first.file}, document ${first.document}`;
      read.bad.push({ place: document.place, problems: [{ path: [], message }] });
    }
  }
}
