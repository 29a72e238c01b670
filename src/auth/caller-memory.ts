// Caches callers by credential for half a second. A busy key costs two lookups per second, and a revocation or changed
// role takes effect within one second on every process, even without a notification. Unknown credentials have a
// separate cache, so that guesses cannot evict valid ones.
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.js';
import type { Caller } from './caller.js';

const ageMsMax = 500;

/** The maximum number of cached credentials, for valid and unknown ones each. */
const callersMax = 10_000;
const refusedMax = 1_000;

/** A credential that may be valid. */
export interface Credential {
  /** Loads the caller. @throws 401 when the credential is unknown, or its owner is disabled or no longer a member. */
  load: () => Promise<Caller>;
  /** Whether this service issued it. If it is unknown then, it will never become valid. */
  isOurs: boolean;
}

/**
 * Returns a function that finds a caller by the credential's digest. Concurrent requests share one lookup.
 *
 * @param isFresh whether to look the caller up now, whatever the cache has.
 */
export function rememberCallers(): (digest: string, credential: Credential, isFresh?: boolean) => Promise<Caller> {
  const callers = new LRUCache<string, Remembered<Caller>>({ max: callersMax });
  const refused = new LRUCache<string, Remembered<ApiError>>({ max: refusedMax });
  const loading = new Map<string, Promise<Caller>>();

  /** The age of an entry counts from before the lookup. */
  function loadOnce(digest: string, { load, isOurs }: Credential): Promise<Caller> {
    const atMs = performance.now();
    const coming = load()
      .then(
        (loaded) => {
          const known = callers.get(digest);
          // A later lookup can be done first. Its caller is the newer one.
          if (known !== undefined && known.atMs > atMs) return known.what;
          const caller = forgottenOnChange(digest, loaded);
          if (loading.get(digest) === coming) callers.set(digest, { what: caller, atMs });
          return caller;
        },
        (error: unknown) => {
          callers.delete(digest);
          if (isOurs && isNobodys(error)) refused.set(digest, { what: error, atMs });
          throw error;
        },
      )
      .finally(() => {
        if (loading.get(digest) === coming) loading.delete(digest);
      });
    loading.set(digest, coming);
    return coming;
  }

  /** Lookups that were done or had begun before a change was committed do not have it. */
  function forgottenOnChange(digest: string, caller: Caller): Caller {
    const forget = () => {
      callers.delete(digest);
      loading.delete(digest);
    };
    return {
      ...caller,
      forget,
      addWorkspace: (workspace) => {
        caller.addWorkspace(workspace);
        forget();
      },
    };
  }

  return async (digest, credential, isFresh = false) => {
    if (isFresh) return loadOnce(digest, credential);
    const known = callers.get(digest);
    if (isRecent(known)) return known.what;
    const refusal = refused.get(digest);
    if (isRecent(refusal)) throw refusal.what;
    return loading.get(digest) ?? loadOnce(digest, credential);
  };
}

/** A cached result and its time. */
interface Remembered<What> {
  what: What;
  atMs: number;
}

function isRecent<What>(remembered: Remembered<What> | undefined): remembered is Remembered<What> {
  return remembered !== undefined && performance.now() - remembered.atMs < ageMsMax;
}

/**
 * Whether the error is final. A credential with an owner may become valid again, for example when the owner is enabled.
 */
function isNobodys(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401 && error.owner === undefined;
}
