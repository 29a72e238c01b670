// Secret variables as they come in and are kept: sealed, and kept as they are where a caller sends back the mask.
import { invalidInput } from '../errors.js';
import type { Problem } from '../errors.js';
import type { RowSeal } from '../seal.js';
import { problemAt } from './problem.js';
import { masked } from './resource.js';
import type { Env, Runtime } from './runtime.js';
import { sealedRuntime, secretPurposes } from './sealed-spec.js';

interface Spec {
  runtime?: Runtime | undefined;
}

/**
 * The spec of a workload as it is stored. The mask stands for the secret value that is stored under the same name,
 * and the same value given again is the value that is stored.
 *
 * @param seal of the row that it is stored in.
 * @param stored the spec as it was stored before, if there was one.
 * @throws 400 `invalid_input` for a mask that stands for nothing, or would take a secret for a plain value.
 */
export function keptSpec<Kept extends Spec>(seal: RowSeal, given: Kept, stored?: Spec): Kept {
  const { runtime } = given;
  return runtime === undefined ? given : { ...given, runtime: keptRuntime(seal, runtime, stored?.runtime) };
}

function keptRuntime<Kept extends Runtime>(seal: RowSeal, given: Kept, stored: Runtime | undefined): Kept {
  if (given.envs === undefined) return given;
  const before = new Map((stored?.envs ?? []).map((env) => [env.name, env]));
  const problems: Problem[] = [];
  const envs = given.envs.map((env, index) => {
    const kept = before.get(env.name);
    if (env.value !== masked || kept?.secret !== true) {
      if (env.value === masked && env.secret === true) problems.push(nothingStored(index));
      return isKept(seal, env, kept) ? { ...env, value: kept?.value } : sealedEnv(seal, env);
    }
    if (env.secret !== true) problems.push(secretInPlain(index));
    return { ...env, value: kept.value };
  });
  if (problems.length > 0) throw invalidInput(problems);
  return { ...given, envs };
}

/** Sealing the same value anew would look like a change of it. */
function isKept(seal: RowSeal, given: Env, kept: Env | undefined): boolean {
  if (given.secret !== true || kept?.secret !== true || kept.value === undefined) return false;
  return seal.open(secretPurposes.variable, kept.value) === given.value;
}

function sealedEnv(seal: RowSeal, env: Env): Env {
  const [sealed = env] = sealedRuntime(seal, { envs: [env] }).envs ?? [];
  return sealed;
}

function nothingStored(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'value'];
  return problemAt(path, 'invalid_value', `is ${masked}, which stands for a secret that is stored: there is none`);
}

function secretInPlain(index: number): Problem {
  const path = ['spec', 'runtime', 'envs', String(index), 'secret'];
  return problemAt(path, 'invalid_value', `must stay true, or the value be given: ${masked} stands for a secret`);
}
