// Finds the secrets in stored workloads and executions, and encrypts and decrypts them.
import type { RowEncryption } from '../../encryption.js';
import type { Runtime } from '../../schema/runtime.js';

/** The purposes for which secrets are encrypted. */
export const secretPurposes = {
  variable: 'secret variable',
  override: 'overridden variable',
  callback: 'callback secret',
} as const;

/** Translates one secret; undefined leaves it out. */
export type TranslateSecret = (purpose: string, text: string) => string | undefined;

interface WithTriggers {
  triggers?: { configuration?: { callbackSecret?: string | undefined } | undefined }[] | undefined;
}

/** The parts of a spec that hold secrets. */
export interface SecretSpec extends WithTriggers {
  runtime?: Runtime | undefined;
  envOverride?: Record<string, string> | undefined;
}

/** A copy of a spec with each of its secrets translated. */
export function withSecrets<Spec extends SecretSpec>(spec: Spec, translate: TranslateSecret): Spec {
  const { runtime, triggers, envOverride } = spec;
  return {
    ...spec,
    ...(runtime && { runtime: withSecretVariables(runtime, translate) }),
    ...(triggers && { triggers: withCallbackSecrets(triggers, translate) }),
    ...(envOverride && { envOverride: withOverrides(envOverride, translate) }),
  };
}

/** A runtime as it is stored: the values of secret variables are encrypted. */
export function encryptedRuntime<Encrypted extends Runtime>(encryption: RowEncryption, runtime: Encrypted): Encrypted {
  return withSecretVariables(runtime, encryption.encrypt);
}

/** A stored runtime with secret variables decrypted, for executors. */
export function decryptedRuntime<Opened extends Runtime>(encryption: RowEncryption, runtime: Opened): Opened {
  return withSecretVariables(runtime, encryption.decrypt);
}

/** The stored form of overridden variables. */
export function encryptedOverride(
  encryption: RowEncryption,
  variables: Record<string, string>,
): Record<string, string> {
  return withOverrides(variables, encryption.encrypt);
}

/** The decrypted values of overridden variables, for executors. */
export function decryptedOverride(
  encryption: RowEncryption,
  variables: Record<string, string>,
): Record<string, string> {
  return withOverrides(variables, encryption.decrypt);
}

function withSecretVariables<Given extends Runtime>(runtime: Given, translate: TranslateSecret): Given {
  const envs = runtime.envs?.map(({ value, ...each }) => ({
    ...each,
    value: each.secret && value !== undefined ? translate(secretPurposes.variable, value) : value,
  }));
  return envs === undefined ? runtime : { ...runtime, envs };
}

function withCallbackSecrets<Trigger extends NonNullable<WithTriggers['triggers']>[number]>(
  triggers: Trigger[],
  translate: TranslateSecret,
): Trigger[] {
  return triggers.map((trigger) => {
    const secret = trigger.configuration?.callbackSecret;
    if (secret === undefined) return trigger;
    const callbackSecret = translate(secretPurposes.callback, secret);
    return { ...trigger, configuration: { ...trigger.configuration, callbackSecret } };
  });
}

function withOverrides(variables: Record<string, string>, translate: TranslateSecret): Record<string, string> {
  const translated = Object.entries(variables).map(([name, value]) => [
    name,
    translate(secretPurposes.override, value) ?? '',
  ]);
  return Object.fromEntries(translated);
}
