// Where secrets stand in what is stored of workloads and executions, and how all of them are sealed and opened.
import type { RowSeal } from '../../encryption.js';
import type { Runtime } from '../../schema/runtime.js';

/** What a secret is sealed for. */
export const secretPurposes = {
  variable: 'secret variable',
  override: 'overridden variable',
  callback: 'callback secret',
} as const;

/** What becomes of one secret; undefined leaves it out. */
export type TranslateSecret = (purpose: string, text: string) => string | undefined;

interface WithTriggers {
  triggers?: { configuration?: { callbackSecret?: string | undefined } | undefined }[] | undefined;
}

/** A spec as far as it holds secrets. */
export interface SecretSpec extends WithTriggers {
  runtime?: Runtime | undefined;
  envOverride?: Record<string, string> | undefined;
}

/** A spec in which each of its secrets has been translated, and nothing else. */
export function withSecrets<Spec extends SecretSpec>(spec: Spec, translate: TranslateSecret): Spec {
  const { runtime, triggers, envOverride } = spec;
  return {
    ...spec,
    ...(runtime && { runtime: withSecretVariables(runtime, translate) }),
    ...(triggers && { triggers: withCallbackSecrets(triggers, translate) }),
    ...(envOverride && { envOverride: withOverrides(envOverride, translate) }),
  };
}

/** A runtime as it is stored: the values of secret variables sealed. */
export function sealedRuntime<Sealed extends Runtime>(seal: RowSeal, given: Sealed): Sealed {
  return withSecretVariables(given, seal.seal);
}

/** A stored runtime with the values of its secret variables, for who runs it. */
export function openedRuntime<Opened extends Runtime>(seal: RowSeal, given: Opened): Opened {
  return withSecretVariables(given, seal.open);
}

/** The form in which overridden variables are stored. */
export function sealedOverride(seal: RowSeal, variables: Record<string, string>): Record<string, string> {
  return withOverrides(variables, seal.seal);
}

/** The values of overridden variables, for who runs them. */
export function openedOverride(seal: RowSeal, variables: Record<string, string>): Record<string, string> {
  return withOverrides(variables, seal.open);
}

function withSecretVariables<Given extends Runtime>(given: Given, translate: TranslateSecret): Given {
  const envs = given.envs?.map(({ value, ...each }) => ({
    ...each,
    value: each.secret && value !== undefined ? translate(secretPurposes.variable, value) : value,
  }));
  return envs === undefined ? given : { ...given, envs };
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
