import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import type { Seal } from '../../seal.js';
import { masked, resourceAnswer } from '../resource.js';
import { endpointUrl, resourceFromRow } from '../resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../resource-row.js';
import { maskedRuntime } from '../runtime.js';
import { agentSpecAnswer } from './agent-spec.js';
import type { AgentSpec, Trigger } from './agent-spec.js';

/** An agent as the specification prints it. */
export const agent = resourceAnswer('Agent', agentSpecAnswer);

export type Agent = SpecifiedResource<AgentSpec>;

export type AgentRow = SpecifiedRow<AgentSpec>;

export function agentFromRow(ctx: RequestContext, workspace: ReachableWorkspace, row: AgentRow): Agent {
  const spec = row.spec === undefined ? { enabled: true, public: false } : specFromRow(ctx, workspace, row.spec);
  return resourceFromRow(workspace, row, spec, endpointUrl(ctx, workspace, 'agents', row.name));
}

/** The stored spec as a caller may see it: no secret leaves but to its owner. */
function specFromRow(ctx: RequestContext, workspace: ReachableWorkspace, spec: AgentSpec): AgentSpec {
  const { runtime, triggers } = spec;
  const isOpening = triggers?.some((trigger) => trigger.configuration?.callbackSecret !== undefined);
  return {
    ...spec,
    runtime: runtime && maskedRuntime(runtime),
    triggers: isOpening ? triggers?.map((trigger) => openedTrigger(ctx, workspace, trigger)) : triggers,
  };
}

const callbackSecretPurpose = 'callback secret';

/** A trigger's secret is what its owner verifies callbacks with, so it is shown to workspace admins alone. */
function openedTrigger(ctx: RequestContext, workspace: ReachableWorkspace, trigger: Trigger): Trigger {
  const sealed = trigger.configuration?.callbackSecret;
  if (sealed === undefined) return trigger;
  const opened = workspace.role === 'admin' ? ctx.seal.openAgain(callbackSecretPurpose, sealed) : undefined;
  return { ...trigger, configuration: { ...trigger.configuration, callbackSecret: opened ?? masked } };
}

/** The form in which a trigger's callbackSecret is stored. */
export function sealCallbackSecret(seal: Seal, secret: string): string {
  return seal.seal(callbackSecretPurpose, secret);
}
