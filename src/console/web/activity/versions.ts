// Recorded versions of a resource as documents that can be saved again.
import { plainFrom } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';
import { isFields } from '../editing/patch.js';
import type { Fields } from '../editing/patch.js';

/** The placeholder of a secret. The change log never has the value. */
export const maskedValue = '***';

/** The editable part of a version in the change log. */
export function documentOfRecord(record: unknown): Fields {
  const plain = plainFrom(record);
  const { metadata, spec } = isFields(plain) ? plain : {};
  const { displayName, protected: isProtected, externalId, labels } = isFields(metadata) ? metadata : {};
  const named = plainFrom({ displayName, protected: isProtected, externalId });
  const hasLabels = isFields(labels) && Object.keys(labels).length > 0;
  return {
    metadata: { ...(isFields(named) ? named : {}), ...(hasLabels ? { labels } : {}) },
    spec: isFields(spec) ? withoutGenerated(spec) : {},
  };
}

/** The service generates the secret of a trigger and does not take one. */
function withoutGenerated(spec: Fields): Fields {
  const { triggers } = spec;
  if (!Array.isArray(triggers)) return spec;
  return {
    ...spec,
    triggers: triggers.map((trigger) => {
      if (!isFields(trigger) || !isFields(trigger['configuration'])) return trigger;
      const { callbackSecret: _generated, ...configuration } = trigger['configuration'];
      return { ...trigger, configuration };
    }),
  };
}

/**
 * The recorded document with the values of the current one wherever both mean the same: the change log and the API order
 * the fields of a list's items differently.
 */
export function alignedWith(current: Fields, recorded: Fields): Fields {
  const aligned = Object.entries(recorded).map(([name, value]): [string, Plain] => {
    const now = current[name];
    if (now === undefined) return [name, value];
    if (isFields(now) && isFields(value)) return [name, alignedWith(now, value)];
    return [name, canonical(now) === canonical(value) ? now : value];
  });
  return Object.fromEntries(aligned);
}

function canonical(value: Plain): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

/** The names of the secret variables whose values have to be given again. @param stored the document that is stored now */
export function secretsToAsk(document: Fields, stored?: Fields): string[] {
  const known = new Set(stored === undefined ? [] : envsOf(stored).filter(isSecret).map(nameOf));
  return envsOf(document)
    .filter((env) => isSecret(env) && env['value'] === maskedValue && !known.has(nameOf(env)))
    .map(nameOf);
}

/** The document with the given secrets. Secrets without a value are omitted. */
export function withSecrets(document: Fields, asked: readonly string[], values: ReadonlyMap<string, string>): Fields {
  const { spec } = document;
  if (asked.length === 0 || !isFields(spec) || !isFields(spec['runtime'])) return document;
  const envs = envsOf(document).flatMap((env): Fields[] => {
    if (!asked.includes(nameOf(env))) return [env];
    const value = values.get(nameOf(env)) ?? '';
    return value === '' ? [] : [{ ...env, value }];
  });
  return { ...document, spec: { ...spec, runtime: { ...spec['runtime'], envs } } };
}

function envsOf({ spec }: Fields): Fields[] {
  const runtime = isFields(spec) ? spec['runtime'] : undefined;
  const envs = isFields(runtime) ? runtime['envs'] : undefined;
  return Array.isArray(envs) ? envs.filter(isFields) : [];
}

function isSecret(env: Fields): boolean {
  return env['secret'] === true;
}

function nameOf({ name }: Fields): string {
  return typeof name === 'string' ? name : '';
}
