// What every resource of the specification shares.
import { z } from 'zod';
import { foldCase } from '../paging/page.js';
import { oneOf } from './words.js';

/** Deployment status, and what each value means. Callers never set it. */
export const statuses = {
  DELETING: 'The resource is being deleted.',
  TERMINATED: 'The resource has ended and will not start again.',
  FAILED: 'The last build or deployment failed.',
  DEACTIVATED: 'The resource is switched off.',
  DEACTIVATING: 'The resource is being switched off.',
  UPLOADING: 'The source is being uploaded.',
  BUILDING: 'The image is being built.',
  DEPLOYING: 'The new revision is being rolled out.',
  DEPLOYED: 'The resource is running.',
  BUILT: 'The image is built and not deployed yet.',
} as const;

export type Status = keyof typeof statuses;

export const status = oneOf(statuses).meta({ id: 'Status', description: 'Deployment status. Read-only.' });

export const timestamp = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds.' });

/** The metadata that every resource answers with. */
export const metadata = z
  .object({
    name: z.string(),
    displayName: z.string().optional(),
    externalId: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    plan: z.string().optional(),
    url: z.string().optional(),
    workspace: z.string().optional(),
    createdAt: timestamp.optional(),
    updatedAt: timestamp.optional(),
    createdBy: z.string().optional(),
    updatedBy: z.string().optional(),
  })
  .meta({ id: 'Metadata' });

export type Metadata = z.output<typeof metadata>;

export const coreEvent = z
  .object({
    time: timestamp.optional(),
    type: z.string().optional(),
    status: z.string().optional(),
    message: z.string().optional(),
    revision: z.string().optional(),
    canaryRevision: z.string().optional(),
  })
  .meta({ id: 'CoreEvent', description: 'Something that happened to a resource. Read-only.' });

export type CoreEvent = z.output<typeof coreEvent>;

/** The answer of a kind that has the whole of Metadata, a status and a spec. */
export function resourceAnswer<Spec extends z.ZodType>(id: string, spec: Spec) {
  return z.object({ metadata, spec, status: status.optional(), events: z.array(coreEvent).optional() }).meta({ id });
}

/** What a masked value reads. */
export const masked = '***';

/** Lowercase letters, digits and hyphens, 1 to 49 characters, a letter or digit at both ends (decision 22). */
export const resourceName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/,
    'must be 1 to 49 lowercase letters, digits and hyphens, with a letter or digit at both ends',
  );

/** Whether a text has the form of an id. Anything else is the id of nothing. */
export function isResourceId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Whether anything can have this name at all: PostgreSQL, for one, knows no NUL in a text. */
export function canBeName(name: string): boolean {
  return !/\p{Cc}/u.test(name);
}

export const displayName = z.string().min(1).max(63);

export const externalId = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, 'must be letters, digits and dashes');

export const labels = z.record(z.string().min(1), z.string());

const separator = '\u001f';

/**
 * The text that a search looks through: name, displayName and labels (keys and values) in lower case,
 * separated so that no match spans two of them. A search term never holds the separator.
 */
export function searchDocument(metadata: Pick<Metadata, 'name' | 'displayName' | 'labels'>): string {
  const fields = [metadata.name, metadata.displayName ?? '', ...Object.entries(metadata.labels ?? {}).flat()];
  return fields.map((field) => foldCase(field).replaceAll(separator, ' ')).join(separator);
}

/** A timestamp as PostgreSQL writes it into JSON in a UTC session, as RFC 3339 UTC with milliseconds. */
export function timestampFromJson(text: string): string {
  const instant = text.slice(0, -'+00:00'.length);
  return instant.length === 23 ? `${instant}Z` : `${instant}${instant.length === 19 ? '.' : ''}`.padEnd(23, '0') + 'Z';
}
