import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { authorizeResource, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { moveInvocations } from '../../lifecycle/invocation-steps.js';
import { createResource, deleteResource, updateResource } from '../../store/write/change.js';
import { redeployResource } from '../../store/write/redeploy.js';
import type { Writable } from '../../store/write/writable.js';
import type { Resource } from '../../store/read/resource.js';
import { BrokenInput } from '../../schema/broken-input.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import { masked, metadata } from '../../schema/resource.js';
import { newResourceId } from '../../schema/resource-id.js';
import { changedRow, metadataInput, newSpecifiedRow, specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSecret, keptSpec, nothingStored } from '../../store/write/kept-secrets.js';
import { secretPurposes } from '../../store/write/encrypted-spec.js';
import { readChanged, readNew } from '../../store/write/specified-input.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import type { RowEncryption } from '../../encryption.js';
import type { CreationInput, ActionInput, UpdateInput } from '../../store/write/change-input.js';
import { agentKind, maskedAgent, encryptCallbackSecret } from './agent-row.js';
import type { AgentRow } from './agent-row.js';
import type { AgentSpec, Trigger } from './agent-spec.js';
import { agentSpec, withIds } from './checked-agent-spec.js';

type Configuration = NonNullable<Trigger['configuration']>;

const agentInput = z.object({ metadata, spec: agentSpec, origin: resourceOrigin.optional() });

const agents: Writable<AgentRow> = {
  kind: agentKind,
  columnsOf: specifiedColumnsOf,
  shown: maskedAgent,
  moveDependents: ({ db }, id) => moveInvocations(db, id),
  preconditionOf: workloadPrecondition,
};

/**
 * Creates an agent.
 *
 * @throws 400 `invalid_input` with every violated rule; 403; 409 `name_taken`.
 */
export async function createAgent(ctx: RequestContext, input: CreationInput): Promise<Resource<AgentRow>> {
  const within = authorizeWorkspace(ctx, 'agents:create', input.workspace);
  const { metadata, spec, origin } = await readNew(within, workloadPrecondition, agentInput, input);
  const id = newResourceId(ctx.now());
  const stored = storedSpec(ctx.encryption.ofRow('agent', id), spec);
  const row = newSpecifiedRow(within, { metadata, spec: stored }, origin);
  const { validateOnly } = input;
  return createResource(
    within,
    agents,
    { id, row },
    { validateOnly, precondition: workloadPrecondition(within, spec) },
  );
}

/**
 * Updates an agent: omitted fields stay unchanged, null clears a field, lists are replaced. Invocations that have not begun
 * move along to another region.
 *
 * @throws 400 `invalid_input`; 403; 404; 409 `version_mismatch`.
 */
export async function updateAgent(ctx: RequestContext, input: UpdateInput): Promise<Resource<AgentRow>> {
  const within = await authorizeResource(ctx, 'agents:update', agentKind, input);
  return updateResource(within, agents, input, ({ id, row }) => {
    const current = { metadata: metadataInput(row), spec: inputSpec(row.spec) };
    const { metadata, spec } = readChanged(agentInput, current, input);
    const changed = changedRow(row, {
      metadata,
      spec: storedSpec(ctx.encryption.ofRow('agent', id), spec, row.spec),
    });
    return { row: changed, precondition: workloadPrecondition(within, spec, row.spec) };
  });
}

/** Deletes an agent. @returns the deleted resource. @throws 403; 404; 409 `version_mismatch`. */
export async function deleteAgent(ctx: RequestContext, input: ActionInput): Promise<Resource<AgentRow>> {
  const within = await authorizeResource(ctx, 'agents:delete', agentKind, input);
  return deleteResource(within, agents, input);
}

/**
 * Deploys an agent again.
 *
 * @throws 403; 404; 409 `version_mismatch`; 409 `conflict` if it is disabled or is being deleted.
 */
export async function redeployAgent(ctx: RequestContext, input: ActionInput): Promise<Resource<AgentRow>> {
  const within = await authorizeResource(ctx, 'agents:update', agentKind, input);
  return redeployResource(within, agents, input);
}

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
