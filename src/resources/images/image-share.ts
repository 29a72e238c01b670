// An image that one workspace offers to another, often of another account (specification, pending image shares).
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { coreEvent, timestamp } from '../resource.js';
import type { ResourceKeys, ResourceKind } from '../resource-kind.js';
import { eventsColumn, eventsFromRow, timestampFromRow } from '../resource-row.js';
import type { EventRow } from '../resource-row.js';
import { oneOf } from '../words.js';
import { imageResourceTypes } from './image.js';
import type { ImageResourceType } from './image.js';

export const shareStatuses = {
  pending: 'Waits for an admin of the target workspace.',
  accepted: 'The image is in the target workspace.',
  declined: 'An admin of the target workspace turned it down.',
} as const;

export type ShareStatus = keyof typeof shareStatuses;

export const imageShare = z
  .object({
    metadata: z
      .object({
        id: z.string(),
        workspace: z.string().optional().meta({ description: 'The workspace that it is offered to.' }),
        sourceAccount: z.string().optional().meta({ description: 'The account that offers it.' }),
        sourceWorkspace: z.string().optional().meta({ description: 'The workspace that offers it.' }),
        createdAt: timestamp.optional(),
        updatedAt: timestamp.optional(),
        createdBy: z.string().optional(),
        updatedBy: z.string().optional(),
        decidedAt: timestamp.optional().meta({ description: 'When it was accepted or declined.' }),
        decidedBy: z.string().optional().meta({ description: 'Who accepted or declined it.' }),
      })
      .meta({ id: 'ImageShareMetadata' }),
    spec: z.object({ resourceType: oneOf(imageResourceTypes), imageName: z.string() }).meta({ id: 'ImageShareSpec' }),
    status: oneOf(shareStatuses),
    events: z.array(coreEvent).optional(),
  })
  .meta({ id: 'ImageShare' });

export type ImageShare = z.output<typeof imageShare>;

export interface ShareRow extends ResourceKeys {
  imageName: string;
  resourceType: ImageResourceType;
  status: ShareStatus;
  sourceAccount?: string;
  sourceWorkspace?: string;
  createdAt?: string;
  updatedAt?: string;
  createdBy?: string | null;
  updatedBy?: string | null;
  decidedAt?: string | null;
  decidedBy?: string | null;
  events?: EventRow[] | null;
}

/** Shares whatever became of them. A workspace's list holds those that are pending. */
export const shareKind: ResourceKind<ShareRow, ImageShare> = {
  noun: 'image share',
  table: 'image_share',
  columns: {
    imageName: Prisma.sql`r."name"`,
    resourceType: Prisma.sql`r."resource_type"`,
    status: Prisma.sql`r."status"`,
    sourceAccount: Prisma.sql`r."source_account"`,
    sourceWorkspace: Prisma.sql`r."source_workspace"`,
    createdAt: Prisma.sql`r."created_at"`,
    updatedAt: Prisma.sql`r."updated_at"`,
    createdBy: Prisma.sql`r."created_by"`,
    updatedBy: Prisma.sql`r."updated_by"`,
    decidedAt: Prisma.sql`r."decided_at"`,
    decidedBy: Prisma.sql`r."decided_by"`,
    events: eventsColumn,
  },
  keyColumns: ['imageName', 'resourceType', 'status'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: shareFromRow,
};

export const pendingShareKind: ResourceKind<ShareRow, ImageShare> = {
  ...shareKind,
  condition: Prisma.sql`r."status" = 'pending'`,
};

function shareFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: ShareRow): ImageShare {
  return {
    metadata: {
      id: row.id,
      workspace: workspace.name,
      sourceAccount: row.sourceAccount,
      sourceWorkspace: row.sourceWorkspace,
      createdAt: timestampFromRow(row.createdAt),
      updatedAt: timestampFromRow(row.updatedAt),
      createdBy: row.createdBy ?? undefined,
      updatedBy: row.updatedBy ?? undefined,
      decidedAt: timestampFromRow(row.decidedAt),
      decidedBy: row.decidedBy ?? undefined,
    },
    spec: { resourceType: row.resourceType, imageName: row.imageName },
    status: row.status,
    events: eventsFromRow(row.events),
  };
}
