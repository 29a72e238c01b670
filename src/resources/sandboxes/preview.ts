// A preview: a URL that exposes a port of a sandbox.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { namedCriteria } from '../../store/read/criteria.js';
import { textMatching, truth } from '../../store/read/criterion.js';
import { refusal } from '../../schema/problem.js';
import { refuse } from '../../schema/rule.js';
import { asAlwaysPresent } from '../../schema/shape.js';
import { duration, isOfKeptSize, keptSize } from '../../schema/values.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { coreEvent, masked, namedMetadataAnswer, timestamp } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import {
  eventsColumn,
  eventsFromRow,
  namedColumns,
  namedMetadata,
  namedMetadataColumns,
} from '../../store/read/resource-row.js';
import type { EventfulRow, NamedRow } from '../../store/read/resource-row.js';
import { shownText, text } from '../../schema/text.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';

/** A token of RFC 9110, section 5.6.2. */
const headerName = text(256).refine(
  (name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name),
  refusal('invalid_format', "must be the name of a header: letters, digits and !#$%&'*+-.^_`|~"),
);

/** The case of header names does not matter (RFC 9110, section 5.1). */
const headers = z.record(headerName, text(8_192)).superRefine((given, rules) => {
  const seen = new Set<string>();
  for (const name of Object.keys(given)) {
    const key = name.toLowerCase();
    if (seen.has(key))
      refuse(rules, [name], 'duplicate', 'must be unique: another header has this name in another case');
    seen.add(key);
  }
});

export const previewSpec = z
  .object({
    customDomain: shownText(253).optional().meta({ description: 'Custom domain of the account.' }),
    expires: timestamp.optional().meta({ description: 'Expiration time.' }),
    port: z
      .int32()
      .min(1)
      .max(65_535)
      .optional()
      .meta({ description: 'Port of the sandbox that the preview exposes.' }),
    prefixUrl: shownText(253).optional().meta({ description: 'Prefix of the URL.' }),
    public: z.boolean().optional().meta({ description: 'True if the preview can be opened without a token.' }),
    region: text().optional().meta({ description: 'Region that the preview is served from.' }),
    requestHeaders: headers.optional().meta({
      description: `Headers added to each request. Values are stored encrypted and returned as \`${masked}\`.`,
    }),
    responseHeaders: headers.optional().meta({
      description: `Headers added to each response. Values are stored encrypted and returned as \`${masked}\`.`,
    }),
    ttl: duration.optional().meta({ description: 'Lifetime, as a duration such as 24h.' }),
    url: text(2_048).optional().meta({ description: 'URL of the preview.', readOnly: true }),
  })
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'SandboxPreviewSpec', description: 'Desired state of a preview.' });

export type PreviewSpec = z.output<typeof previewSpec>;

const metadataIdentity = { id: 'SandboxPreviewMetadata', description: 'Name and sandbox of a preview.' };

export const previewMetadata = namedMetadataAnswer
  .extend({
    resourceName: asAlwaysPresent(text().optional().meta({ description: 'Name of the sandbox.', readOnly: true })),
    resourceType: asAlwaysPresent(
      text().optional().meta({ description: 'Type of the parent resource: sandbox.', readOnly: true }),
    ),
  })
  .meta(metadataIdentity);

/** The metadata of a preview in the specification. */
const specifiedMetadata = previewMetadata.omit({ protected: true }).meta(metadataIdentity);

export type PreviewMetadata = z.output<typeof previewMetadata>;

/** A sandbox preview as the specification prints it. */
export const preview = z
  .object({ metadata: specifiedMetadata, spec: previewSpec, events: z.array(coreEvent).optional() })
  .meta({ id: 'SandboxPreview', description: 'A URL that exposes a port of a sandbox.' });

export type Preview = z.output<typeof preview>;

export interface PreviewRow extends NamedRow, EventfulRow {
  spec: PreviewSpec;
  resourceName: string;
  sandboxId: string;
}

/** SQL of the region of a preview `r`: its own, or that of its sandbox. */
export const previewRegionSql = Prisma.sql`coalesce(r."spec"->>'region', (
  SELECT s."spec"->>'region' FROM "sandbox" AS s WHERE s."id" = r."sandbox_id"))`;

export const previewKind = resourceKind<PreviewRow>('SANDBOX_PREVIEW', {
  parent: Prisma.sql`r."sandbox_id"`,
  columns: {
    ...namedColumns,
    spec: Prisma.sql`r."spec"`,
    resourceName: Prisma.sql`(SELECT s."name" FROM "sandbox" AS s WHERE s."id" = r."sandbox_id")`,
    sandboxId: Prisma.sql`r."sandbox_id"`,
    events: eventsColumn,
  },
  hasSearchIndex: false,
  criteria: {
    ...namedCriteria,
    public: truth(
      'Matches public previews if true, and previews that need a token if false.',
      Prisma.sql`coalesce((r."spec"->>'public')::boolean, false)`,
    ),
    region: textMatching('Region of the preview.', Prisma.sql`(r."spec"->>'region')`),
  },
});

/** The columns that each metadata field is read from. */
export const previewMetadataColumns = {
  ...namedMetadataColumns,
  resourceName: ['resourceName'],
  resourceType: [],
} as const;

/** Returns the metadata of a preview from the columns that were read. */
export function previewMetadataOf(
  { workspace }: Pick<PartialResource<PreviewRow>, 'workspace'>,
  row: Partial<PreviewRow> & { name: string },
): PreviewMetadata {
  return { ...namedMetadata(workspace, row), resourceName: row.resourceName, resourceType: 'sandbox' };
}

/** The spec as callers see it: headers can hold credentials, so their values are masked for everyone. */
export function maskedPreviewSpec(spec: PreviewSpec): PreviewSpec {
  return withSecrets(spec, () => masked);
}

export function previewFromRow(found: Pick<Resource<PreviewRow>, 'workspace' | 'row'>): Preview {
  const { row } = found;
  return {
    metadata: previewMetadataOf(found, row),
    spec: maskedPreviewSpec(row.spec),
    events: eventsFromRow(row.events),
  };
}
