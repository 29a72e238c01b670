// The document of a new resource that is like another one.
import type { Problem } from './change-resource.js';
import { valueAt, withValueAt } from './document-path.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';

const envsPath = 'spec.runtime.envs';

/**
 * A copy without a name, without what belongs to the original only (external id, revisions), and without secrets, which
 * cannot be read.
 */
export function duplicateOf(document: Fields): Fields {
  const {
    name: _name,
    externalId: _externalId,
    ...metadata
  } = isFields(document['metadata']) ? document['metadata'] : {};
  const copied = withValueAt({ ...document, metadata: { name: '', ...metadata } }, 'spec.revision', undefined);
  const envs = envsIn(copied).map((env) => {
    const { value: _secret, ...rest } = env;
    return env['secret'] === true ? rest : env;
  });
  return envs.length === 0 ? copied : withValueAt(copied, envsPath, envs);
}

/** Secrets without a value, as problems of their fields. */
export function missingSecretsIn(document: Fields): Problem[] {
  return envsIn(document).flatMap(({ secret, value = '' }, index) =>
    secret === true && value === ''
      ? [{ path: `${envsPath}.${index}.value`, message: 'Enter the secret again, or remove the variable.' }]
      : [],
  );
}

function envsIn(document: Fields): Fields[] {
  const envs = valueAt(document, envsPath);
  return Array.isArray(envs) ? envs.filter(isFields) : [];
}
