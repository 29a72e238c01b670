// Attachments: from a volume to the workloads that mount it, and from a workload to its volumes.
import DataLoader from 'dataloader';
import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { AccessibleWorkspace } from '../../auth/caller.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { rowsStatement } from '../../store/read/page-statement.js';
import type { VolumeAttachment } from '../../schema/runtime.js';
import type { AgentRow } from '../agents/agent-row.js';
import { agentKind } from '../agents/agent-row.js';
import type { SandboxRow } from '../sandboxes/sandbox.js';
import { sandboxKind } from '../sandboxes/sandbox.js';
import { findResources, getResource } from '../resource-reads.js';
import { attachedWorkloadsSql, volumeKind } from './volume.js';
import type { VolumeRow } from './volume.js';

/** The maximum number of workloads in an error message; the first by kind and name. */
export const attachedMax = 100;

export type Workload = Resource<AgentRow> | Resource<SandboxRow>;

/** A workload that mounts volumes. */
export interface AttachingRow {
  spec: { volumes?: VolumeAttachment[] | undefined };
}

/** A volume as it is mounted in a workload, and where that is. */
export interface Attachment extends VolumeAttachment {
  workspace: AccessibleWorkspace;
}

/**
 * The workloads that have a volume attached, by kind and name. @throws 403 without `agents:get` and `sandboxes:get`.
 */
export async function listAttachedWorkloads(
  ctx: RequestContext,
  volume: PartialResource<VolumeRow>,
): Promise<Workload[]> {
  authorizeWorkspace(ctx, 'agents:get', volume.workspace.name);
  authorizeWorkspace(ctx, 'sandboxes:get', volume.workspace.name);
  const { name } = await volume.read(['name']);
  const attached = await workloads(ctx).load({ workspaceId: volume.workspace.id, name });
  const idsOf = (kind: string) => attached.filter((each) => each.kind === kind).map(({ id }) => id);
  const [agents, sandboxes] = await Promise.all([
    findResources(ctx, agentKind, idsOf('AGENT')),
    findResources(ctx, sandboxKind, idsOf('SANDBOX')),
  ]);
  return [...agents, ...sandboxes].filter((each) => each !== null);
}

/** The attached volume; null for an ephemeral volume, or if it was deleted. @throws 403 without `volumes:get`. */
export async function getAttachedVolume(
  ctx: RequestContext,
  { type, name, workspace }: Attachment,
  columns: ReadonlySet<string>,
): Promise<PartialResource<VolumeRow> | null> {
  authorizeWorkspace(ctx, 'volumes:get', workspace.name);
  return type === 'ephemeral' ? null : getResource(ctx, volumeKind, { workspace: workspace.name, name, columns });
}

interface VolumeKey {
  workspaceId: string;
  name: string;
}

interface AttachedRow {
  ordinal: number;
  kind: string;
  id: string;
}

const workloads = perRequest(
  (ctx) =>
    new DataLoader<VolumeKey, AttachedRow[], string>(
      async (keys) => {
        const { db } = authorizeScope(ctx);
        const rows = await readJson<AttachedRow[]>(db, attachedStatement(keys));
        return keys.map((_, index) => rows.filter(({ ordinal }) => ordinal === index + 1));
      },
      { cacheKeyFn: ({ workspaceId, name }) => `${workspaceId} ${name}` },
    ),
);

function attachedStatement(keys: readonly VolumeKey[]): Prisma.Sql {
  const workspaceIds = keys.map(({ workspaceId }) => workspaceId);
  const names = keys.map(({ name }) => name);
  return rowsStatement(Prisma.sql`
    SELECT volume."ordinal", "user"."kind", "user"."id"
    FROM unnest(${workspaceIds}::uuid[], ${names}::text[]) WITH ORDINALITY AS volume("workspace_id", "name", "ordinal")
    CROSS JOIN LATERAL (
      SELECT * FROM (${attachedWorkloadsSql(Prisma.sql`volume."workspace_id"`, Prisma.sql`volume."name"`)}) AS u
      ORDER BY "kind", "name" LIMIT ${attachedMax}) AS "user"
    ORDER BY volume."ordinal", "user"."kind", "user"."name"`);
}
