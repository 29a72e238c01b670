import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';
import { resourceKinds } from '../resource-kinds.js';
import type { WorkKind } from './work-kinds.js';

/** The part of a specification that names the image, of the kinds that have one. */
interface RunningSpec {
  runtime?: { image?: string } | undefined;
}

/**
 * Sets when an image was last deployed, after a workload that runs it was. Which image of the workspace that is, says
 * image_name() (decision 143); there may be none.
 */
export async function noteImageDeployed(
  db: Statements,
  { kind, workspaceId, spec, at }: { kind: WorkKind; workspaceId: string; spec: unknown; at: Date },
): Promise<void> {
  const image = imageIn(spec);
  if (image === undefined) return;
  await db.$defer(Prisma.sql`
    UPDATE "image" SET "last_deployed_at" = greatest("last_deployed_at", ${at}::timestamptz)
    WHERE "workspace_id" = ${workspaceId}::uuid AND "resource_type" = ${resourceKinds[kind].list}::image_resource_type
      AND "name" = image_name(${image})`);
}

function imageIn(spec: unknown): string | undefined {
  const { runtime }: RunningSpec = typeof spec === 'object' && spec !== null ? spec : {};
  return runtime?.image;
}
