import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import type { Keyed } from '../../database/select-page.js';
import type { Listed } from '../../paging/page.js';
import type { Seal } from '../../seal.js';
import { masked, timestampFromJson } from '../resource.js';
import type { CoreEvent, Metadata, Status } from '../resource.js';
import type { AgentSpec, Env, Trigger } from './agent-spec.js';

/** An agent as the specification prints it. */
export interface Agent {
  metadata: Metadata;
  spec: AgentSpec;
  status?: Status | undefined;
  events?: CoreEvent[] | undefined;
}

/** What can be read of an agent beside its id. Reading less is cheaper: events most of all. */
export const agentColumns = {
  name: Prisma.sql`r."name"`,
  displayName: Prisma.sql`r."display_name"`,
  externalId: Prisma.sql`r."external_id"`,
  labels: Prisma.sql`r."labels"`,
  createdAt: Prisma.sql`r."created_at"`,
  updatedAt: Prisma.sql`r."updated_at"`,
  createdBy: Prisma.sql`r."created_by"`,
  updatedBy: Prisma.sql`r."updated_by"`,
  status: Prisma.sql`r."status"`,
  spec: Prisma.sql`r."spec"`,
  // Arrays by position, newest first: a name and a sort for each of hundreds of events would cost more than
  // all the rest of the page.
  events: Prisma.sql`(
    SELECT json_agg(json_build_array("time", "type", "status", "message", "revision", "canary_revision"))
    FROM (SELECT * FROM "core_event" WHERE "resource_id" = r."id" ORDER BY "time" DESC, "id" DESC LIMIT 100) AS e)`,
};

export type AgentColumn = keyof typeof agentColumns;

export const everyAgentColumn = new Set(Object.keys(agentColumns));

/** time, type, status, message, revision, canaryRevision. */
type EventRow = [string, ...(string | null)[]];

/** A row as the database writes it into JSON. A column that was not asked for is not there. */
export interface AgentRow extends Keyed {
  name: string;
  workspaceId?: string;
  displayName?: string | null;
  externalId?: string | null;
  labels?: Record<string, string> | null;
  createdAt?: string;
  updatedAt?: string;
  createdBy?: string | null;
  updatedBy?: string | null;
  status?: Status | null;
  /** Checked when it was written. */
  spec?: AgentSpec;
  events?: EventRow[] | null;
}

/** A row as a resource, and where it stands in its list. */
export function listedAgent(ctx: RequestContext, workspace: ReachableWorkspace, row: AgentRow): Listed<Agent> {
  return { id: row.id, position: { key: row.key, id: row.id }, resource: agentFromRow(ctx, workspace, row) };
}

function agentFromRow(ctx: RequestContext, workspace: ReachableWorkspace, row: AgentRow): Agent {
  return {
    metadata: {
      name: row.name,
      displayName: row.displayName ?? undefined,
      externalId: row.externalId ?? undefined,
      labels: row.labels ?? undefined,
      plan: workspace.account.plan,
      url: `${ctx.inferenceUrl}/${workspace.name}/agents/${row.name}`,
      workspace: workspace.name,
      createdAt: row.createdAt && timestampFromJson(row.createdAt),
      updatedAt: row.updatedAt && timestampFromJson(row.updatedAt),
      createdBy: row.createdBy ?? undefined,
      updatedBy: row.updatedBy ?? undefined,
    },
    spec: row.spec === undefined ? { enabled: true, public: false } : specFromRow(ctx, workspace, row.spec),
    status: row.status ?? undefined,
    events: (row.events ?? []).map(eventFromRow).reverse(),
  };
}

function eventFromRow(row: EventRow): CoreEvent {
  const [time, type, status, message, revision, canaryRevision] = row;
  return {
    time: timestampFromJson(time),
    type: type ?? undefined,
    status: status ?? undefined,
    message: message ?? undefined,
    revision: revision ?? undefined,
    canaryRevision: canaryRevision ?? undefined,
  };
}

/** The stored spec as a caller may see it: the values of secret variables never leave. */
function specFromRow(ctx: RequestContext, workspace: ReachableWorkspace, spec: AgentSpec): AgentSpec {
  const envs = spec.runtime?.envs;
  const isRevealing = spec.triggers?.some((trigger) => trigger.configuration?.callbackSecret !== undefined);
  if (!isRevealing && !envs?.some((env) => env.secret)) return spec;
  return {
    ...spec,
    runtime: spec.runtime && { ...spec.runtime, envs: envs?.map(maskedEnv) },
    triggers: spec.triggers?.map((trigger) => openedTrigger(ctx, workspace, trigger)),
  };
}

function maskedEnv(env: Env): Env {
  return env.secret ? { ...env, value: masked } : env;
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
