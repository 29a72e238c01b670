import { randomBytes } from 'node:crypto';
import { moveInvocations } from '../../lifecycle/invocation-steps.js';
import { specifiedInput } from '../specified-changes.js';
import type { SpecifiedKind } from '../specified-changes.js';
import { BrokenInput } from '../../schema/broken-input.js';
import { masked } from '../../schema/resource.js';
import { specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSecret, keptSpec, nothingStored } from '../../store/write/kept-secrets.js';
import { secretPurposes } from '../../store/write/encrypted-spec.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import type { RowEncryption } from '../../encryption.js';
import { agentKind, maskedAgent, encryptCallbackSecret } from './agent-row.js';
import type { AgentSpec, Trigger } from './agent-spec.js';
import { agentSpec, withIds } from './checked-agent-spec.js';

type Configuration = NonNullable<Trigger['configuration']>;

/** The invocations of an agent that have not begun move along to another region. */
export const writableAgents: SpecifiedKind<AgentSpec> = {
  kind: agentKind,
  scopes: { create: 'agents:create', update: 'agents:update', delete: 'agents:delete' },
  input: specifiedInput(agentSpec),
  columnsOf: specifiedColumnsOf,
  shown: maskedAgent,
  secrets: { table: 'agent', stored: storedSpec, masked: inputSpec },
  moveDependents: ({ db }, id) => moveInvocations(db, id),
  preconditionOf: workloadPrecondition,
};

/** The specification to store: new secrets are encrypted, unchanged ones stay as they are stored. */
function storedSpec(encryption: RowEncryption, { triggers, ...spec }: AgentSpec, before?: AgentSpec): AgentSpec {
  return {
    ...keptSpec(encryption, spec, before),
    ...(triggers && { triggers: storedTriggers(encryption, triggers, before?.triggers ?? []) }),
  };
}

/** @throws 400 `invalid_input` for the mask of a callbackUrl that is not stored. */
function storedTriggers(encryption: RowEncryption, triggers: Trigger[], before: Trigger[]): Trigger[] {
  const opened = before.map((trigger) => {
    const { callbackUrl } = trigger.configuration ?? {};
    if (callbackUrl === undefined) return trigger;
    const url = encryption.open(secretPurposes.callbackUrl, callbackUrl);
    return { ...trigger, configuration: { ...trigger.configuration, callbackUrl: url } };
  });
  const identified = withIds(triggers, opened);
  const existing = identified.map(
    ({ id }) => before.find((each) => each.id === id && each.type === 'http-async')?.configuration ?? {},
  );
  const problems = identified.flatMap(({ configuration }, index) =>
    configuration?.callbackUrl === masked && existing[index]?.callbackUrl === undefined
      ? [nothingStored(['spec', 'triggers', String(index), 'configuration', 'callbackUrl'])]
      : [],
  );
  if (problems.length > 0) throw new BrokenInput(problems, {});
  return identified.map((trigger, index) => storedTrigger(encryption, trigger, existing[index] ?? {}));
}

/** The service generates a secret for each http-async trigger. Callers cannot set it. */
function storedTrigger(encryption: RowEncryption, trigger: Trigger, existing: Configuration): Trigger {
  const { callbackSecret: _, callbackUrl, ...configuration } = trigger.configuration ?? {};
  if (trigger.type !== 'http-async')
    return trigger.configuration === undefined ? trigger : { ...trigger, configuration };
  const callbackSecret =
    existing.callbackSecret ?? encryptCallbackSecret(encryption, randomBytes(32).toString('base64url'));
  const url = callbackUrl && {
    callbackUrl: keptSecret(encryption, secretPurposes.callbackUrl, callbackUrl, existing.callbackUrl),
  };
  return { ...trigger, configuration: { ...configuration, ...url, callbackSecret } };
}

/** A stored spec in the form of an input. */
function inputSpec(spec: AgentSpec): object {
  return { ...maskedSpec(spec), triggers: spec.triggers?.map(asInput) };
}

function asInput(trigger: Trigger): Trigger {
  if (trigger.configuration === undefined) return trigger;
  const { callbackSecret: _, callbackUrl, ...configuration } = trigger.configuration;
  const url = callbackUrl === undefined ? {} : { callbackUrl: masked };
  return { ...trigger, configuration: { ...configuration, ...url } };
}
