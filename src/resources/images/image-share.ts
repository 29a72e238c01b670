// An offer of an image from one workspace to another, often in another account (specification, pending image shares).
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { timedCriteria } from '../../store/read/criteria.js';
import { nameMatching, textMatching, wordMatching } from '../../store/read/criterion.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { coreEvent, resourceName, timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { eventsColumn, eventsFromRow, timestampFromRow } from '../../store/read/resource-row.js';
import type { EventfulRow } from '../../store/read/resource-row.js';
import { asAlwaysPresent } from '../../schema/shape.js';
import { text } from '../../schema/text.js';
import { oneOf } from '../../schema/values.js';
import { imageResourceType } from './image.js';
import type { ImageResourceType } from './image.js';

export const shareStatuses = {
  pending: 'Waiting for a decision by an admin of the target workspace.',
  accepted: 'Accepted: the image is in the target workspace.',
  declined: 'Declined by an admin of the target workspace.',
  revoked: 'Revoked by an admin of the source workspace.',
} as const;

export const shareStatus = oneOf(shareStatuses).meta({
  id: 'ImageShareStatus',
  description: 'Status of an image share.',
});

export type ShareStatus = keyof typeof shareStatuses;

export const imageShareMetadata = z
  .object({
    id: z.string().meta({ description: 'ID of the share in the REST API.' }),
    workspace: asAlwaysPresent(text().optional().meta({ description: 'Workspace that the image is offered to.' })),
    sourceAccount: asAlwaysPresent(text().optional().meta({ description: 'Account that offers the image.' })),
    sourceWorkspace: asAlwaysPresent(text().optional().meta({ description: 'Workspace that offers the image.' })),
    createdAt: asAlwaysPresent(timestamp.optional().meta({ description: 'Time the image was offered.' })),
    updatedAt: asAlwaysPresent(timestamp.optional().meta({ description: 'Time of the last change.' })),
    createdBy: text().optional().meta({ description: 'User or service account that offered the image.' }),
    updatedBy: text().optional().meta({ description: 'User or service account that last changed the share.' }),
    decidedAt: timestamp.optional().meta({ description: 'Time the share was accepted or declined.' }),
    decidedBy: text().optional().meta({ description: 'User or service account that accepted or declined the share.' }),
  })
  .meta({ id: 'ImageShareMetadata', description: 'Source, target and decision of an image share.' });

export const imageShareSpec = z
  .object({ resourceType: imageResourceType, imageName: resourceName.meta({ description: 'Name of the image.' }) })
  .meta({ id: 'ImageShareSpec', description: 'Image that is offered.' });

export const imageShare = z
  .object({
    metadata: imageShareMetadata,
    spec: imageShareSpec,
    status: shareStatus,
    events: z.array(coreEvent).optional(),
  })
  .meta({
    id: 'ImageShare',
    description: 'An offer of an image from one workspace to another, often in another account.',
  });

export type ImageShare = z.output<typeof imageShare>;

export interface ShareRow extends EventfulRow {
  imageName: string;
  resourceType: ImageResourceType;
  status: ShareStatus;
  /** The workspace that the image is offered to. */
  targetWorkspace: string;
  sourceAccount: string;
  sourceWorkspace: string;
  createdAt: string;
  updatedAt: string;
  createdBy: string | null;
  updatedBy: string | null;
  decidedAt: string | null;
  decidedBy: string | null;
}

const shareDefinition = {
  columns: {
    version: Prisma.sql`r."version"`,
    imageName: Prisma.sql`r."name"`,
    resourceType: Prisma.sql`r."resource_type"`,
    status: Prisma.sql`r."status"`,
    targetWorkspace: nameOfWorkspace(Prisma.sql`r."workspace_id"`),
    sourceAccount: Prisma.sql`r."source_account"`,
    sourceWorkspace: Prisma.sql`r."source_workspace"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
    createdBy: Prisma.sql`r."created_by"`,
    // The people of the other side have no name, except the person who offered the image (decision 29).
    updatedBy: Prisma.sql`CASE WHEN r."status" <> 'revoked' THEN r."updated_by" END`,
    decidedAt: Prisma.sql`r."decided_at"`,
    decidedBy: Prisma.sql`r."decided_by"`,
    events: eventsColumn,
  },
  hasSearchIndex: false,
  criteria: {
    ...timedCriteria,
    imageName: nameMatching('Name of the image.', Prisma.sql`r."name"`),
    resourceType: wordMatching(
      'Type of workload that the image is deployed as.',
      imageResourceType,
      Prisma.sql`r."resource_type"::text`,
    ),
    sourceAccount: nameMatching('Account that offers the image.', Prisma.sql`r."source_account"`),
    sourceWorkspace: nameMatching('Workspace that offers the image.', Prisma.sql`r."source_workspace"`),
    createdBy: textMatching('User or service account that offered the image.', Prisma.sql`r."created_by"`),
  },
} as const;

function nameOfWorkspace(id: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT w."name" FROM "workspace" AS w WHERE w."id" = ${id})`;
}

/** Shares of any status, in the target workspace. */
export const shareKind = resourceKind<ShareRow>('IMAGE_SHARE', shareDefinition);

/** Pending shares, which the list of a workspace returns. */
export const pendingShareKind = resourceKind<ShareRow>('IMAGE_SHARE', {
  ...shareDefinition,
  condition: Prisma.sql`r."status" = 'pending'`,
});

/**
 * Shares of any status, in the source workspace. They do not name the user who decided in the target workspace: its view
 * has no `updated_by` then.
 */
export const offeredShareKind = resourceKind<ShareRow>('IMAGE_SHARE', {
  ...shareDefinition,
  view: 'offered_image_share',
  columns: {
    ...shareDefinition.columns,
    targetWorkspace: nameOfWorkspace(Prisma.sql`r."target_workspace_id"`),
    updatedBy: Prisma.sql`r."updated_by"`,
  },
});

/** The columns that each metadata field is read from. */
export const shareMetadataColumns = {
  id: [],
  workspaceName: ['targetWorkspace'],
  sourceAccountName: ['sourceAccount'],
  sourceWorkspaceName: ['sourceWorkspace'],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  createdBy: ['createdBy'],
  updatedBy: ['updatedBy'],
  decidedAt: ['decidedAt'],
  decidedBy: ['decidedBy'],
} as const;

/** Returns the metadata of a share from the columns that were read. */
export function shareMetadataOf({ id }: PartialResource<ShareRow>, row: Partial<ShareRow>): ImageShare['metadata'] {
  return {
    id,
    workspace: row.targetWorkspace,
    sourceAccount: row.sourceAccount,
    sourceWorkspace: row.sourceWorkspace,
    createdAt: timestampFromRow(row.createdAt),
    updatedAt: timestampFromRow(row.updatedAt),
    createdBy: row.createdBy ?? undefined,
    updatedBy: row.updatedBy ?? undefined,
    decidedAt: timestampFromRow(row.decidedAt),
    decidedBy: row.decidedBy ?? undefined,
  };
}

export function shareFromRow(found: Resource<ShareRow>): ImageShare {
  const { resourceType, imageName, status, events } = found.row;
  return {
    metadata: shareMetadataOf(found, found.row),
    spec: { resourceType, imageName },
    status,
    events: eventsFromRow(events),
  };
}
