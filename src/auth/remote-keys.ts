// The public keys of another issuer, from its JWKS URL. They are fetched again after some seconds and for an unknown
// key. While the URL fails, known keys stay in use, so callers with a known key are not affected.
import { createLocalJWKSet, errors } from 'jose';
import type { CompactJWSHeaderParameters, CryptoKey } from 'jose';
import type { Logger } from 'pino';
import { z } from 'zod';
import { unavailable } from '../errors.js';

/** The age (ms) at which keys are refreshed in the background, and at which the refresh is awaited. */
const keysAgeMsMax = 20_000;
const waitedAgeMsMax = 45_000;

/** The minimum interval between retries for an unknown key or an unreachable URL (ms). */
const retryMs = 10_000;
const fetchMsMax = 5_000;
const bytesMax = 256 * 1024;

export interface RemoteKeys {
  /** @throws {errors.JWKSNoMatchingKey} for an unknown key; 503 `unavailable` when the keys could not be fetched. */
  find: (header: CompactJWSHeaderParameters) => Promise<CryptoKey>;
}

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

type KeySet = ReturnType<typeof createLocalJWKSet>;

export function remoteKeys(url: string, log: Logger): RemoteKeys {
  let known: KeySet | undefined;
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let problem: unknown;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    triedAtMs = performance.now();
    try {
      known = createLocalJWKSet(await fetchKeys(url));
      loadedAtMs = performance.now();
      problem = undefined;
    } catch (error) {
      problem = error;
      log.warn({ err: error, url }, 'cannot fetch the keys of a token issuer');
    }
  }

  /** Fetches the keys. Runs one fetch at a time, and not again too soon. */
  function reload(): Promise<void> {
    if (performance.now() - triedAtMs < retryMs) return loading ?? Promise.resolve();
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  return {
    find: async (header) => {
      const ageMs = performance.now() - loadedAtMs;
      // Known keys are used while they are refreshed, unless they are so old that a removed key could still be among
      // them.
      if (known !== undefined && ageMs > waitedAgeMsMax) await reload();
      else if (known !== undefined && ageMs > keysAgeMsMax) void reload();
      try {
        if (known !== undefined) return await known(header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      await reload();
      if (known !== undefined && problem === undefined) return known(header);
      throw unavailable('The public keys of the token issuer are temporarily unavailable. Try again.', problem);
    },
  };
}

async function fetchKeys(url: string): Promise<{ keys: { kty: string }[] }> {
  const signal = AbortSignal.timeout(fetchMsMax);
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`${url} answers more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return keySet.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}
