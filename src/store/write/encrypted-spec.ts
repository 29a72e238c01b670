// Finds the secrets in stored workloads and executions, and encrypts and decrypts them.
import type { Runtime } from '../../schema/runtime.js';

/** The purposes for which secrets are encrypted. */
export const secretPurposes = {
  variable: 'secret variable',
  override: 'overridden variable',
  callback: 'callback secret',
  callbackUrl: 'callback URL',
  header: 'preview header',
} as const;

/** Translates one secret; undefined leaves it out. */
export type TranslateSecret = (purpose: string, text: string) => string | undefined;

interface WithTriggers {
  triggers?:
    | { configuration?: { callbackSecret?: string | undefined; callbackUrl?: string | undefined } | undefined }[]
    | undefined;
}

/** The headers that a preview adds to requests and responses, by name. */
export interface WithHeaders {
  requestHeaders?: Record<string, string> | undefined;
  responseHeaders?: Record<string, string> | undefined;
}

/** The parts of a spec that hold secrets. */
export interface SecretSpec extends WithTriggers, WithHeaders {
  runtime?: Runtime | undefined;
  envOverride?: Record<string, string> | undefined;
}

/** A copy of a spec with each of its secrets translated. */
export function withSecrets<Spec extends SecretSpec>(spec: Spec, translate: TranslateSecret): Spec {
  const { runtime, triggers, envOverride, requestHeaders, responseHeaders } = spec;
  return {
    ...spec,
    ...(runtime && { runtime: withSecretVariables(runtime, translate) }),
    ...(triggers && { triggers: withSecretTriggers(triggers, translate) }),
    ...(envOverride && { envOverride: withValues(envOverride, secretPurposes.override, translate) }),
    ...(requestHeaders && { requestHeaders: withValues(requestHeaders, secretPurposes.header, translate) }),
    ...(responseHeaders && { responseHeaders: withValues(responseHeaders, secretPurposes.header, translate) }),
  };
}

function withSecretVariables<Given extends Runtime>(runtime: Given, translate: TranslateSecret): Given {
  const envs = runtime.envs?.map(({ value, ...each }) => ({
    ...each,
    value: each.secret && value !== undefined ? translate(secretPurposes.variable, value) : value,
  }));
  return envs === undefined ? runtime : { ...runtime, envs };
}

function withSecretTriggers<Trigger extends NonNullable<WithTriggers['triggers']>[number]>(
  triggers: Trigger[],
  translate: TranslateSecret,
): Trigger[] {
  return triggers.map((trigger) => {
    const { callbackSecret: secret, callbackUrl: url } = trigger.configuration ?? {};
    if (secret === undefined && url === undefined) return trigger;
    const configuration = {
      ...trigger.configuration,
      ...(secret !== undefined && { callbackSecret: translate(secretPurposes.callback, secret) }),
      ...(url !== undefined && { callbackUrl: translate(secretPurposes.callbackUrl, url) }),
    };
    return { ...trigger, configuration };
  });
}

function withValues(
  values: Record<string, string>,
  purpose: string,
  translate: TranslateSecret,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translate(purpose, value) ?? '']));
}
