// Encrypts secret variables of an input. A mask that the caller sends back keeps the stored value.
import type { Problem } from '../../errors.js';
import type { RowEncryption } from '../../encryption.js';
import { problemAt } from '../../schema/problem.js';
import { masked } from '../../schema/resource.js';
import type { Env, Runtime } from '../../schema/runtime.js';
import { encryptedRuntime, secretPurposes } from './encrypted-spec.js';

interface Spec {
  runtime?: Runtime | undefined;
}

/**
 * The problems of the masks in a spec: a mask without a stored secret, or one that would turn a secret into a plain
 * value.
 */
export function maskProblems({ runtime }: Spec, stored: Spec): Problem[] {
  const before = secretsOf(stored.runtime);
  return (runtime?.envs ?? []).flatMap(({ name, value, secret }, index) => {
    if (value !== masked) return [];
    if (before.has(name)) return secret === true ? [] : [secretInPlain(index)];
    return secret === true ? [nothingStored(index)] : [];
  });
}

/**
 * The spec of a workload as it is stored. A mask, or the same plaintext, keeps the stored ciphertext of the variable of
 * that name.
 *
 * @param encryption the encryption of the row.
 * @param spec a spec without maskProblems().
 * @param stored the previously stored spec, if any.
 */
export function keptSpec<Kept extends Spec>(encryption: RowEncryption, spec: Kept, stored?: Spec): Kept {
  const { runtime } = spec;
  return runtime === undefined ? spec : { ...spec, runtime: keptRuntime(encryption, runtime, stored?.runtime) };
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
    return existing !== undefined && (env.value === masked || isUnchanged(encryption, env, existing))
      ? { ...env, value: existing.value }
      : encryptedEnv(encryption, env);
  });
  return { ...runtime, envs };
}

function secretsOf(runtime: Runtime | undefined): Map<string, Env> {
  return new Map((runtime?.envs ?? []).flatMap((env) => (env.secret === true ? [[env.name, env]] : [])));
}

/** Whether the stored ciphertext stays. Encrypting the same value again would look like a change. */
function isUnchanged(encryption: RowEncryption, env: Env, existing: Env): boolean {
  if (env.secret !== true || existing.value === undefined) return false;
  return encryption.decrypt(secretPurposes.variable, existing.value) === env.value;
}

function encryptedEnv(encryption: RowEncryption, env: Env): Env {
  const [encryptedText = env] = encryptedRuntime(encryption, { envs: [env] }).envs ?? [];
  return encryptedText;
}

function nothingStored(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'value'];
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
