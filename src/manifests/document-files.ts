// Manifest files, YAML or JSON. All are read before anything is applied, so that a syntax error in the last one does
// not leave half of them applied.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { cutText } from '../errors.js';
import { problemsMax, yamlLimits } from '../input/limits.js';
import type { YamlLimits } from '../input/limits.js';
import { utf8Text } from '../input/utf8.js';
import { readYaml } from '../input/yaml.js';
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
export function readDocuments(
  contents: readonly FileContent[],
  workspace: string | undefined,
  limits = yamlLimits,
): DocumentFiles {
  const read: DocumentFiles = { documents: [], bad: [] };
  for (const content of contents) readContent(content, workspace, limits, read);
  refuseTwice(read);
  return read;
}

async function contentsOf({ from, folder, standardInput }: DocumentSource): Promise<FileContent[]> {
  if (from === '-') return [await contentOf('standard input', () => buffer(standardInput))];
  try {
    const files = (await stat(resolve(folder, from))).isDirectory() ? await filesBelow(resolve(folder, from)) : [''];
    const names = files.map((file) => join(from, file));
    return await Promise.all(names.map((name) => contentOf(name, () => readFile(resolve(folder, name)))));
  } catch (error) {
    throw unreadable(from, error);
  }
}

async function contentOf(file: string, read: () => Promise<Buffer>): Promise<FileContent> {
  try {
    return { file, content: utf8Text(await read()) };
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): UnreadableFileError {
  if (error instanceof UnreadableFileError) return error;
  return new UnreadableFileError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /\.(ya?ml|json)$/.test(name)).toSorted();
}

/** Stops at the maximum number of problems: each document has at least one more. */
function readContent(
  { file, content }: FileContent,
  workspace: string | undefined,
  limits: YamlLimits,
  read: DocumentFiles,
): void {
  let count = 0;
  const refuse = (problems: BadDocument['problems']) =>
    read.bad.push({ position: { file, document: count }, problems });
  for (const parsed of readYaml(content, limits, 'The manifest')) {
    if ('problems' in parsed) {
      count++;
      refuse(parsed.problems.map(({ message, line }) => ({ path: [], message, line })));
      continue;
    }
    const isList = Array.isArray(parsed.value);
    const values: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
    for (const [index, each] of values.entries()) {
      count++;
      const result = readDocument(each, { file, document: count }, workspace);
      if ('document' in result) read.documents.push(result.document);
      else {
        refuse(
          result.problems.map((problem) => {
            const line = parsed.lineAt(isList ? [index, ...problem.path] : problem.path);
            return { ...problem, ...(line === undefined ? {} : { line }) };
          }),
        );
      }
      if (read.bad.length >= problemsMax) return;
    }
  }
}

const messageLengthMax = 300;

/** A duplicate is ambiguous. */
function refuseTwice(read: DocumentFiles): void {
  const seen = new Map<string, Place>();
  for (const document of read.documents) {
    const title = titleOf(document);
    const first = seen.get(title);
    if (first === undefined) seen.set(title, document.position);
    else {
      const message = `${title} is already in ${first.file}, document ${first.document}`;
      read.bad.push({
        position: document.position,
        problems: [{ path: [], message: cutText(message, messageLengthMax) }],
      });
    }
  }
}
