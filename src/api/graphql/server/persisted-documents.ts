// Documents that a request names instead of sending them: automatic persisted queries, as Apollo's and urql's clients
// do them, and documents that the operator trusts, from a file (decision 133).
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ApiError, invalidRequest } from '../../../errors.js';

/** Documents by the ids that clients name them by. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** The parts of a request that identify its document. */
export interface DocumentParameters {
  query?: unknown;
  documentId?: unknown;
  extensions?: unknown;
}

export interface DocumentSettings {
  trustedDocuments: TrustedDocuments;
  /** Whether no other documents are run. */
  areOnlyTrusted: boolean;
}

const documentsMax = 1_000;
const charactersMax = 8 * 1024 * 1024;

const persisted = z.object({ persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }) });

/** The documents that a process knows by hash. Documents of clients can be evicted; clients then send them again. */
export class PersistedDocuments {
  readonly #given = new LRUCache<string, string>({
    max: documentsMax,
    maxSize: charactersMax,
    sizeCalculation: (text) => text.length + 1,
  });
  readonly #trustedTexts: ReadonlySet<string>;

  constructor(private readonly settings: DocumentSettings) {
    this.#trustedTexts = new Set(settings.trustedDocuments.values());
  }

  /**
   * The text of the requested document; undefined if the request names none.
   *
   * @throws 400 `persisted_query_not_found`, `document_not_trusted`; `invalid_request` if the request also has a text,
   *   which the hash or the `documentId` does not name.
   */
  find({ query, documentId, extensions }: DocumentParameters): string | undefined {
    const text = typeof query === 'string' && query !== '' ? query : undefined;
    if (documentId != null) return sameAs(text, this.#trusted(documentId), 'documentId');
    const hash = hashIn(extensions);
    if (hash === undefined) return text === undefined ? undefined : this.#allowed(text);
    const known = this.settings.trustedDocuments.get(hash) ?? this.#given.get(hash);
    if (known !== undefined) return sameAs(text, known, hashField);
    if (text === undefined) {
      // Clients know the answer by its message.
      throw new ApiError('persisted_query_not_found', 'PersistedQueryNotFound');
    }
    if (createHash('sha256').update(text).digest('hex') !== hash) throw notNamed(hashField);
    this.#given.set(hash, this.#allowed(text));
    return text;
  }

  #trusted(id: unknown): string {
    const text = typeof id === 'string' ? this.settings.trustedDocuments.get(id) : undefined;
    if (text !== undefined) return text;
    throw new ApiError('document_not_trusted', 'No trusted document has this documentId.');
  }

  #allowed(text: string): string {
    if (!this.settings.areOnlyTrusted || this.#trustedTexts.has(text)) return text;
    throw new ApiError('document_not_trusted', 'This service runs only trusted documents. Send the documentId of one.');
  }
}

const hashField = 'extensions.persistedQuery.sha256Hash';

/** @throws 400 `invalid_request` if the text of the request, if any, is not that of the document it names. */
function sameAs(text: string | undefined, named: string, field: string): string {
  if (text !== undefined && text !== named) throw notNamed(field);
  return named;
}

function notNamed(field: string): ApiError {
  return invalidRequest(`${field} does not match the query.`);
}

/** The `documentId` in the URL of a GET. */
export function documentIdOf(search: string): string | undefined {
  return new URLSearchParams(search).get('documentId') || undefined;
}

function hashIn(extensions: unknown): string | undefined {
  if (typeof extensions !== 'object' || extensions === null || !('persistedQuery' in extensions)) return undefined;
  const read = persisted.safeParse(extensions);
  if (!read.success) {
    throw invalidRequest(
      'extensions.persistedQuery must be { version: 1, sha256Hash }, with the SHA-256 of the query.',
    );
  }
  return read.data.persistedQuery.sha256Hash.toLowerCase();
}
