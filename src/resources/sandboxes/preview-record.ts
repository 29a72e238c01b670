import { Prisma } from '../../database/client/client.js';
import type { Resource } from '../../store/read/resource.js';
import { objectOf, timeText } from '../../store/write/write-row.js';
import type { Dependents } from '../../store/write/write-row.js';
import type { SandboxRow } from './sandbox.js';

/** The previews of a sandbox, which go with it. */
export function previewsOf({ id, row, workspace }: Resource<SandboxRow>): Dependents {
  const metadata = objectOf({
    name: Prisma.sql`r."name"`,
    displayName: Prisma.sql`r."display_name"`,
    workspace: Prisma.sql`${workspace.name}::text`,
    createdAt: timeText('created_at'),
    updatedAt: timeText('updated_at'),
    createdBy: Prisma.sql`r."created_by"`,
    updatedBy: Prisma.sql`r."updated_by"`,
    resourceName: Prisma.sql`${row.name}::text`,
    resourceType: Prisma.sql`'sandbox'`,
  });
  return {
    table: 'sandbox_preview',
    which: Prisma.sql`r."sandbox_id" = ${id}::uuid`,
    name: Prisma.sql`r."name"`,
    record: Prisma.sql`json_build_object('metadata', ${metadata}, 'spec', r."spec")`,
  };
}
