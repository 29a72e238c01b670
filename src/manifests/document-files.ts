// Manifest files, YAML or JSON. All are read before anything is applied, so that a syntax error in the last one does
// not leave half of them applied.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { LineCounter, isSeq, parseAllDocuments } from 'yaml';
import { readDocument, titleOf } from './document.js';
import type { Document, Place } from './document.js';
import type { DocumentProblem } from './shape-document.js';

/** A file that cannot be read. The message contains its name. */
export class UnreadableFileError extends Error {}

/** An invalid document, with all its problems. */
export interface BadDocument {
  position: Place;
  problems: (DocumentProblem & { line?: number })[];
}

export interface DocumentFiles {
  documents: Document[];
  bad: BadDocument[];
}

interface DocumentSource {
  /** A file, a folder, or `-` for standard input. */
  from: string;
  /** The base of relative paths. */
  folder: string;
  standardInput: Readable;
  /** The workspace of documents without one. */
  workspace: string | undefined;
}

/**
 * Reads all documents of a file, of the .yaml, .yml and .json files of a folder and its subfolders, or of standard
 * input. A document can be a list of documents.
 *
 * @throws {UnreadableFileError}
 */
export async function readDocumentFiles(source: DocumentSource): Promise<DocumentFiles> {
  return readDocuments(await contentsOf(source), source.workspace);
}

/** The text of a file, and its name for messages. */
export interface FileContent {
  file: string;
  content: string;
}

/** Reads the documents of texts. @param workspace the workspace of documents without one. */
export function readDocuments(contents: readonly FileContent[], workspace: string | undefined): DocumentFiles {
  const read: DocumentFiles = { documents: [], bad: [] };
  for (const { file, content } of contents) readContent(file, content, workspace, read);
  refuseTwice(read);
  return read;
}

async function contentsOf({ from, folder, standardInput }: DocumentSource): Promise<FileContent[]> {
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
      read.bad.push({ position: { file, document: ++count }, problems });
      continue;
    }
    const value = valueOf(parsed);
    if (value instanceof Error) {
      read.bad.push({ position: { file, document: ++count }, problems: [{ path: [], message: value.message }] });
      continue;
    }
    // A document between two `---` lines can consist of comments only.
    if (value == null) continue;
    const isList = isSeq(parsed.contents) && Array.isArray(value);
    for (const [index, each] of (isList ? value : [value]).entries()) {
      const place = { file, document: ++count };
      const result = readDocument(each, place, workspace);
      if ('document' in result) read.documents.push(result.document);
      else {
        const problems = result.problems.map((problem) => {
          const path = isList ? [index, ...problem.path] : problem.path;
          return { ...problem, ...optional(lineAt(offsetOf(parsed, path))) };
        });
        read.bad.push({ position: place, problems });
      }
    }
  }
}

function valueOf(parsed: { toJS: () => unknown }): unknown {
  try {
    return parsed.toJS();
  } catch (error) {
    // Nested aliases that would expand beyond the available memory.
    return error instanceof Error ? error : new Error('cannot be read');
  }
}

/** The position of a field, or of its nearest existing parent. */
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

/** A duplicate is ambiguous. */
function refuseTwice(read: DocumentFiles): void {
  const seen = new Map<string, Place>();
  for (const document of read.documents) {
    const title = titleOf(document);
    const first = seen.get(title);
    if (first === undefined) seen.set(title, document.position);
    else {
      const message = `${title} is already in ${first.file}, document ${first.document}`;
      read.bad.push({ position: document.position, problems: [{ path: [], message }] });
    }
  }
}
