// What every resource of the specification shares.
import { z } from 'zod';
import { deploymentStates } from '../lifecycle/deployment-states.js';
import type { DeploymentState } from '../lifecycle/deployment-states.js';
import { foldCase } from '../pagination/page.js';
import { refusal } from './problem.js';
import { asLabels } from './shape.js';
import { lines, nameForPeople, text } from './text.js';
import { oneOf } from './values.js';

export type Status = DeploymentState;

export const status = oneOf(deploymentStates).meta({
  id: 'Status',
  description: 'Deployment status of a resource. Set by the platform alone.',
});

export const timestamp = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds.' });

/** Lowercase letters, digits and hyphens, 1 to 49 characters, a letter or digit at both ends (decision 22). */
export const resourceName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/,
    'must be 1 to 49 lowercase letters, digits and hyphens, with a letter or digit at both ends',
  );

export const displayName = nameForPeople(63);

export const externalId = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, 'must be letters, digits and dashes');

/** A label as GraphQL has it. */
export const label = z
  .object({ key: text().meta({ description: 'The key.' }), value: text().meta({ description: 'The value.' }) })
  .meta({ id: 'Label', description: 'A free key and value, for organizing and filtering.' });

const labelBounds = { countMax: 50, keyLengthMax: 63, valueLengthMax: 255 } as const;

export const labels = asLabels(
  z
    .record(text(labelBounds.keyLengthMax).min(1), text(labelBounds.valueLengthMax))
    .refine(
      (given) => Object.keys(given).length <= labelBounds.countMax,
      refusal('too_long', `must be at most ${labelBounds.countMax} entries`),
    ),
  labelBounds.countMax,
);

/** What the platform knows of whatever somebody makes: when, who and where. Nobody sets it. */
export const provenance = {
  workspace: text().optional().meta({ description: 'Name of the workspace that it is in.', readOnly: true }),
  createdAt: timestamp.optional().meta({ description: 'When it was created.', readOnly: true }),
  updatedAt: timestamp.optional().meta({ description: 'When it was changed last.', readOnly: true }),
  createdBy: text().optional().meta({ description: 'The user or service account that created it.', readOnly: true }),
  updatedBy: text()
    .optional()
    .meta({ description: 'The user or service account that changed it last.', readOnly: true }),
};

/** The metadata of every resource that is deployed. */
export const metadata = z
  .object({
    name: resourceName.meta({
      description: 'Unique within the workspace: lowercase letters, digits and hyphens, at most 49. Never changes.',
      'x-immutable': true,
    }),
    displayName: displayName.optional().meta({ description: 'Name for people, at most 63 characters.' }),
    externalId: externalId.optional().meta({
      description: "The caller's own identifier, at most 64 characters: letters, digits and dashes.",
    }),
    labels: labels.optional().meta({
      description: `Free keys and values, for organizing and filtering: at most ${labelBounds.countMax}, keys of at most ${labelBounds.keyLengthMax} and values of at most ${labelBounds.valueLengthMax} characters.`,
    }),
    plan: text().optional().meta({ description: 'Billing plan tier, inherited from the account.', readOnly: true }),
    url: text().optional().meta({ description: 'Endpoint address, made by the platform.', readOnly: true }),
    ...provenance,
  })
  .meta({ id: 'Metadata', description: 'What every resource has, whatever it is.' });

export type Metadata = z.output<typeof metadata>;

/** The metadata of whatever has a name, and was made and changed by somebody, but is deployed nowhere by itself. */
export const namedMetadataAnswer = z
  .object({
    name: resourceName.meta({
      description: 'Unique within what it belongs to. Never changes.',
      'x-immutable': true,
    }),
    displayName: displayName.optional().meta({ description: 'Name for people, at most 63 characters.' }),
    ...provenance,
  })
  .meta({ id: 'NamedMetadata', description: 'What everything with a name has.' });

export type NamedMetadata = z.output<typeof namedMetadataAnswer>;

export const coreEvent = z
  .object({
    time: timestamp.optional().meta({ description: 'When it happened.' }),
    type: text().optional().meta({ description: 'What kind of thing happened.' }),
    status: text().optional().meta({ description: 'How it ended, or the status that it led to.' }),
    message: lines(8_192).optional().meta({ description: 'What happened, for people.' }),
    revision: text().optional().meta({ description: 'Revision that it concerns.' }),
    canaryRevision: text().optional().meta({ description: 'Canary revision that it concerns.' }),
  })
  .meta({ id: 'CoreEvent', description: 'Something that happened to a resource.' });

export type CoreEvent = z.output<typeof coreEvent>;

/** The answer of a kind that has the whole of Metadata, a status and a spec. */
export function resourceAnswer<Spec extends z.ZodType>(id: string, description: string, spec: Spec) {
  return z
    .object({ metadata, spec, status: status.optional(), events: z.array(coreEvent).optional() })
    .meta({ id, description });
}

/** What a masked value reads. */
export const masked = '***';

/** Whether a text has the form of an id. Anything else is the id of nothing. */
export function isResourceId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Whether anything can have this name at all: PostgreSQL, for one, knows no NUL in a text. */
export function canBeName(name: string): boolean {
  return !/\p{Cc}/u.test(name);
}

const separator = '\u001f';

/**
 * The text that a search looks through: name, displayName and labels (keys and values) in lower case,
 * separated so that no match spans two of them. A search term never holds the separator.
 */
export function searchDocument(metadata: Pick<Metadata, 'name' | 'displayName' | 'labels'>): string {
  const fields = [metadata.name, metadata.displayName ?? '', ...Object.entries(metadata.labels ?? {}).flat()];
  return fields.map((field) => foldCase(field).replaceAll(separator, ' ')).join(separator);
}

/** A timestamp as PostgreSQL writes it in a UTC session, into JSON or as text, as RFC 3339 UTC with milliseconds. */
export function timestampFromJson(text: string): string {
  const isJson = text[10] === 'T';
  const instant = isJson ? text.slice(0, -'+00:00'.length) : `${text.slice(0, 10)}T${text.slice(11, -'+00'.length)}`;
  return instant.length === 23 ? `${instant}Z` : `${instant}${instant.length === 19 ? '.' : ''}`.padEnd(23, '0') + 'Z';
}
