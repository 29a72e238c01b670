// Secret variables as they come in and are kept: sealed, and kept as they are where a caller sends back the mask.
import type { Problem } from '../../errors.js';
import type { RowSeal } from '../../encryption.js';
import { problemAt } from '../../schema/problem.js';
import { masked } from '../../schema/resource.js';
import type { Env, Runtime } from '../../schema/runtime.js';
import { sealedRuntime, secretPurposes } from './sealed-spec.js';

interface Spec {
  runtime?: Runtime | undefined;
}

/** What is wrong with the masks of a spec: one stands for nothing, or would take a secret for a plain value. */
export function maskProblems({ runtime }: Spec, stored: Spec): Problem[] {
  const before = secretsOf(stored.runtime);
  return (runtime?.envs ?? []).flatMap(({ name, value, secret }, index) => {
    if (value !== masked) return [];
    if (before.has(name)) return secret === true ? [] : [secretInPlain(index)];
    return secret === true ? [nothingStored(index)] : [];
  });
}

/**
 * The spec of a workload as it is stored. The mask stands for the secret value that is stored under the same name,
 * and the same value given again is the value that is stored.
 *
 * @param seal of the row that it is stored in.
 * @param given without maskProblems().
 * @param stored the spec as it was stored before, if there was one.
 */
export function keptSpec<Kept extends Spec>(seal: RowSeal, given: Kept, stored?: Spec): Kept {
  const { runtime } = given;
  return runtime === undefined ? given : { ...given, runtime: keptRuntime(seal, runtime, stored?.runtime) };
}

function keptRuntime<Kept extends Runtime>(seal: RowSeal, given: Kept, stored: Runtime | undefined): Kept {
  if (given.envs === undefined) return given;
  const before = secretsOf(stored);
  const envs = given.envs.map((env) => {
    const kept = before.get(env.name);
    return kept !== undefined && (env.value === masked || isKept(seal, env, kept))
      ? { ...env, value: kept.value }
      : sealedEnv(seal, env);
  });
  return { ...given, envs };
}

function secretsOf(runtime: Runtime | undefined): Map<string, Env> {
  return new Map((runtime?.envs ?? []).flatMap((env) => (env.secret === true ? [[env.name, env]] : [])));
}

/** Sealing the same value anew would look like a change of it. */
function isKept(seal: RowSeal, given: Env, kept: Env): boolean {
  if (given.secret !== true || kept.value === undefined) return false;
  return seal.open(secretPurposes.variable, kept.value) === given.value;
}

function sealedEnv(seal: RowSeal, env: Env): Env {
  const [sealed = env] = sealedRuntime(seal, { envs: [env] }).envs ?? [];
  return sealed;
}

function nothingStored(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'value'];
  return problemAt(
    path,
    'invalid_value',
    `must be given: ${masked} is the placeholder of a stored secret, and none is stored`,
  );
}

function secretInPlain(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'secret'];
  return problemAt(
    path,
    'invalid_value',
    `must stay true unless a new value is given: ${masked} is the placeholder of a secret`,
  );
}
