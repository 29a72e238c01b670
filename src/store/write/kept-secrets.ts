// Encrypts secret variables and preview headers of an input. A mask that the caller sends back keeps the stored value.
import type { Problem } from '../../errors.js';
import type { RowEncryption } from '../../encryption.js';
import { problemAt } from '../../schema/problem.js';
import { masked } from '../../schema/resource.js';
import type { Env, Runtime } from '../../schema/runtime.js';
import { secretPurposes } from './encrypted-spec.js';
import type { WithHeaders } from './encrypted-spec.js';

interface Spec extends WithHeaders {
  runtime?: Runtime | undefined;
}

const headerFields = ['requestHeaders', 'responseHeaders'] as const satisfies readonly (keyof WithHeaders)[];

/**
 * The problems of the masks in a spec: a mask without a stored secret, or one that would turn a secret into a plain
 * value.
 */
export function maskProblems({ runtime, ...spec }: Spec, stored: Spec): Problem[] {
  const before = secretsOf(stored.runtime);
  const ofVariables = (runtime?.envs ?? []).flatMap(({ name, value, secret }, index) => {
    if (value !== masked) return [];
    if (before.has(name)) return secret === true ? [] : [secretInPlain(index)];
    return secret === true ? [nothingStored(['spec', 'runtime', 'envs', String(index), 'value'])] : [];
  });
  const ofHeaders = headerFields.flatMap((field) =>
    Object.entries(spec[field] ?? {}).flatMap(([name, value]) =>
      value === masked && !Object.hasOwn(stored[field] ?? {}, name) ? [nothingStored(['spec', field, name])] : [],
    ),
  );
  return [...ofVariables, ...ofHeaders];
}

/**
 * The spec as it is stored. A mask, or the same plaintext, keeps the stored ciphertext of the variable or header of that
 * name.
 *
 * @param encryption the encryption of the row.
 * @param spec a spec without maskProblems().
 * @param stored the previously stored spec, if any.
 */
export function keptSpec<Kept extends Spec>(encryption: RowEncryption, spec: Kept, stored?: Spec): Kept {
  const { runtime, requestHeaders, responseHeaders } = spec;
  const kept = (given: Record<string, string>, before: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        keptSecret(encryption, secretPurposes.header, value, Object.hasOwn(before, name) ? before[name] : undefined),
      ]),
    );
  return {
    ...spec,
    ...(runtime && { runtime: keptRuntime(encryption, runtime, stored?.runtime) }),
    ...(requestHeaders && { requestHeaders: kept(requestHeaders, stored?.requestHeaders) }),
    ...(responseHeaders && { responseHeaders: kept(responseHeaders, stored?.responseHeaders) }),
  };
}

/**
 * The stored form of a secret. A mask, or the same plaintext, keeps the ciphertext: encrypting the same value again would
 * look like a change.
 *
 * @param stored the previously stored form, if any.
 */
export function keptSecret(
  encryption: RowEncryption,
  purpose: string,
  given: string,
  stored: string | undefined,
): string {
  const isKept = stored !== undefined && (given === masked || encryption.open(purpose, stored) === given);
  return isKept ? stored : encryption.encrypt(purpose, given);
}

function keptRuntime<Kept extends Runtime>(
  encryption: RowEncryption,
  runtime: Kept,
  stored: Runtime | undefined,
): Kept {
  if (runtime.envs === undefined) return runtime;
  const before = secretsOf(stored);
  const envs = runtime.envs.map((env) => {
    const existing = before.get(env.name);
    if (env.value === masked && existing !== undefined) return { ...env, value: existing.value };
    if (env.secret !== true || env.value === undefined) return env;
    return { ...env, value: keptSecret(encryption, secretPurposes.variable, env.value, existing?.value) };
  });
  return { ...runtime, envs };
}

function secretsOf(runtime: Runtime | undefined): Map<string, Env> {
  return new Map((runtime?.envs ?? []).flatMap((env) => (env.secret === true ? [[env.name, env]] : [])));
}

/** The problem of a mask in place of a secret that is not stored. */
export function nothingStored(path: string[]): Problem {
  return problemAt(
    path,
    'invalid_value',
    `must not be ${masked}, the placeholder of a stored secret: no secret is stored`,
  );
}

function secretInPlain(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'secret'];
  return problemAt(
    path,
    'invalid_value',
    `must be true while the value is ${masked}, the placeholder of a stored secret. Send a new value`,
  );
}
