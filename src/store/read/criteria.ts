// Filters that several kinds share.
import { Prisma } from '../../database/client/client.js';
import { isOneOf, isShownOr, labelsMatching, nameMatching, textIn, timeBetween, truth, wordIn } from './criterion.js';
import { status } from '../../schema/resource.js';
import { generation } from '../../schema/runtime.js';

/** Filters of resources with timestamps. */
export const timedCriteria = {
  createdAt: timeBetween('Creation time.', 'created_at'),
  updatedAt: timeBetween('Time of the last change.', 'updated_at'),
};

/** Filters of named resources. */
export const namedCriteria = {
  ...timedCriteria,
  name: nameMatching('Name of the resource.', 'name'),
  displayName: textIn('Matches any of these display names.', isOneOf(Prisma.sql`r."display_name"`)),
  createdBy: textIn(
    'Matches resources created by any of these users or service accounts.',
    isOneOf(Prisma.sql`r."created_by"`),
  ),
};

/** For kinds with full Metadata, a status and indexed filter values. */
export const specifiedCriteria = {
  ...namedCriteria,
  displayName: textIn('Matches any of these display names.', isOneOf(Prisma.sql`r."display_name"`), 'displayName'),
  createdBy: textIn(
    'Matches resources created by any of these users or service accounts.',
    isOneOf(Prisma.sql`r."created_by"`),
    'createdBy',
  ),
  externalId: textIn('Matches any of these external IDs.', isOneOf(Prisma.sql`r."external_id"`), 'externalId'),
  labels: labelsMatching('Matches resources that have all of these labels.'),
  status: wordIn('Matches any of these statuses.', status, isOneOf(Prisma.sql`r."status"::text`), 'status'),
  region: textIn('Matches any of these regions.', isOneOf(Prisma.sql`(r."spec"->>'region')`), 'region'),
};

const isEnabled = Prisma.sql`coalesce((r."spec"->>'enabled')::boolean, true)`;

/** Filters of workloads. */
export const workloadCriteria = {
  ...specifiedCriteria,
  enabled: truth('Matches enabled resources if true, and disabled resources if false.', isEnabled, 'enabled'),
  image: textIn(
    'Matches workloads that run any of these images.',
    isOneOf(Prisma.sql`(r."spec"#>>'{runtime,image}')`),
    'image',
  ),
  generation: wordIn(
    'Matches any of these runtime generations.',
    generation,
    isShownOr(
      // The tasks of triggers contain arbitrary fields of the caller.
      Prisma.sql`split_part(r."spec"::text, '"triggers":[', 1)`,
      (word) => [`"generation":"${word}"`],
      isOneOf(Prisma.sql`(r."spec"#>>'{runtime,generation}')`),
    ),
    'generation',
  ),
};

/** Filters of workloads that can attach volumes. */
export const attachingCriteria = {
  volumes: textIn(
    'Matches workloads with any of these persistent volumes attached, by name.',
    (names) => Prisma.sql`EXISTS (
      SELECT FROM json_entries(r."spec"->'volumes') AS entry
      WHERE entry->>'name' = ANY(${names}::text[]) AND entry->>'type' IS DISTINCT FROM 'ephemeral')`,
    'volume',
  ),
};
