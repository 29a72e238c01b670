// Who is calling, remembered. What a credential reaches is remembered for half a second, so a busy key costs the database
// two look-ups a second, and a revocation or a changed role works within one second on every process, whether or not a
// notification would have reached it. A credential that is nobody's is remembered for as long, apart from the others:
// however many are tried, nobody else's has to be looked up for it.
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.js';
import type { Caller } from './caller.js';

const ageMsMax = 500;

/** Credentials that are remembered: those that open something, and those that are nobody's. */
const callersMax = 10_000;
const refusedMax = 1_000;

/** A credential that may be valid. */
export interface Credential {
  /** Whose it is. @throws 401 when it is nobody's, or its owner may no longer. */
  load: () => Promise<Caller>;
  /** Whether it was made here: then one that is unknown will never be known. */
  isOurs: boolean;
}

/** What finds the caller of a credential by its digest, and loads it once for all who ask at the same time. */
export function rememberCallers(): (digest: string, credential: Credential) => Promise<Caller> {
  const callers = new LRUCache<string, Remembered<Caller>>({ max: callersMax });
  const refused = new LRUCache<string, Remembered<ApiError>>({ max: refusedMax });
  const loading = new Map<string, Promise<Caller>>();

  /** The age of what is found counts from before the database was asked. */
  function loadOnce(digest: string, { load, isOurs }: Credential): Promise<Caller> {
    const atMs = performance.now();
    const coming = load().finally(() => loading.delete(digest));
    loading.set(digest, coming);
    coming.then(
      (caller) => callers.set(digest, { what: caller, atMs }),
      (error: unknown) => {
        callers.delete(digest);
        if (isOurs && isNobodys(error)) refused.set(digest, { what: error, atMs });
      },
    );
    return coming;
  }

  return async (digest, credential) => {
    const known = callers.get(digest);
    if (isFresh(known)) return known.what;
    const refusal = refused.get(digest);
    if (isFresh(refusal)) throw refusal.what;
    return loading.get(digest) ?? loadOnce(digest, credential);
  };
}

/** What was found out, and when. */
interface Remembered<What> {
  what: What;
  atMs: number;
}

function isFresh<What>(remembered: Remembered<What> | undefined): remembered is Remembered<What> {
  return remembered !== undefined && performance.now() - remembered.atMs < ageMsMax;
}

/** Whether a refusal stands: what has an owner may open something again when its owner may. */
function isNobodys(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401 && error.owner === undefined;
}
