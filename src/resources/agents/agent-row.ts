import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import type { Seal } from '../../seal.js';
import { coreEvent, masked, metadata, status } from '../resource.js';
import type { Status } from '../resource.js';
import { endpointUrl, eventsColumn, eventsFromRow, metadataColumns, metadataFromRow } from '../resource-row.js';
import type { ResourceRow } from '../resource-row.js';
import { maskedRuntime } from '../runtime.js';
import { agentSpecAnswer } from './agent-spec.js';
import type { AgentSpec, Trigger } from './agent-spec.js';

/** An agent as the specification prints it. */
export const agent = z
  .object({ metadata, spec: agentSpecAnswer, status: status.optional(), events: z.array(coreEvent).optional() })
  .meta({ id: 'Agent' });

export type Agent = Omit<z.output<typeof agent>, 'spec'> & { spec: AgentSpec };

/** What can be read of an agent beside its id. */
export const agentColumns = {
  name: Prisma.sql`r."name"`,
  ...metadataColumns,
  status: Prisma.sql`r."status"`,
  spec: Prisma.sql`r."spec"`,
  events: eventsColumn,
};

export interface AgentRow extends ResourceRow {
  status?: Status | null;
  /** Checked when it was written. */
  spec?: AgentSpec;
}

export function agentFromRow(ctx: RequestContext, workspace: ReachableWorkspace, row: AgentRow): Agent {
  return {
    metadata: metadataFromRow(workspace, row, endpointUrl(ctx, workspace, 'agents', row.name)),
    spec: row.spec === undefined ? { enabled: true, public: false } : specFromRow(ctx, workspace, row.spec),
    status: row.status ?? undefined,
    events: eventsFromRow(row.events),
  };
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
  const opened = workspace.role === 'admin' ? ctx.seal.open(callbackSecretPurpose, sealed) : undefined;
  return { ...trigger, configuration: { ...trigger.configuration, callbackSecret: opened ?? masked } };
}

/** The form in which a trigger's callbackSecret is stored. */
export function sealCallbackSecret(seal: Seal, secret: string): string {
  return seal.seal(callbackSecretPurpose, secret);
}
