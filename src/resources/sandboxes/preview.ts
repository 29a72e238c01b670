// A preview: an address under which a port of a sandbox can be seen.
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { coreEvent, timestamp } from '../resource.js';
import type { ResourceKind } from '../resource-kind.js';
import { eventsColumn, eventsFromRow, namedColumns, namedMetadata, namedMetadataAnswer } from '../resource-row.js';
import type { NamedRow } from '../resource-row.js';

const headers = z.record(z.string(), z.string());

export const previewSpec = z
  .object({
    customDomain: z.string().optional(),
    expires: timestamp.optional().meta({ description: 'When it ends.' }),
    port: z.int().min(1).max(65_535).optional(),
    prefixUrl: z.string().optional(),
    public: z.boolean().optional().meta({ description: 'Whether it opens without a token.' }),
    region: z.string().optional(),
    requestHeaders: headers.optional().meta({ description: 'Headers added to each request.' }),
    responseHeaders: headers.optional().meta({ description: 'Headers added to each answer.' }),
    ttl: z.string().optional().meta({ description: 'How long it lives, as a duration such as 24h.' }),
    url: z.string().optional(),
  })
  .meta({ id: 'SandboxPreviewSpec' });

export type PreviewSpec = z.output<typeof previewSpec>;

export const previewMetadata = namedMetadataAnswer
  .extend({
    resourceName: z.string().optional().meta({ description: 'Name of the sandbox.' }),
    resourceType: z.string().optional(),
  })
  .meta({ id: 'SandboxPreviewMetadata' });

export type PreviewMetadata = z.output<typeof previewMetadata>;

/** A sandbox preview as the specification prints it. */
export const preview = z
  .object({ metadata: previewMetadata, spec: previewSpec, events: z.array(coreEvent).optional() })
  .meta({ id: 'SandboxPreview' });

export type Preview = z.output<typeof preview>;

export interface PreviewRow extends NamedRow {
  spec?: PreviewSpec;
  resourceName?: string;
}

export const previewKind: ResourceKind<PreviewRow, Preview> = {
  noun: 'preview',
  table: 'sandbox_preview',
  parent: Prisma.sql`r."sandbox_id"`,
  columns: {
    ...namedColumns,
    spec: Prisma.sql`r."spec"`,
    resourceName: Prisma.sql`(SELECT s."name" FROM "sandbox" AS s WHERE s."id" = r."sandbox_id")`,
    events: eventsColumn,
  },
  keyColumns: ['name'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: previewFromRow,
};

function previewFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: PreviewRow): Preview {
  return {
    metadata: { ...namedMetadata(workspace, row), resourceName: row.resourceName, resourceType: 'sandbox' },
    spec: row.spec ?? {},
    events: eventsFromRow(row.events),
  };
}
