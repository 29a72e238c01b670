// Filters that several kinds share.
import { Prisma } from '../../database/client/client.js';
import {
  oneOf,
  shownOr,
  labelsMatching,
  nameMatching,
  optionalWordMatching,
  textMatching,
  textsIn,
  timeBetween,
  truth,
} from './criterion.js';
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
  name: nameMatching('Name of the resource.', Prisma.sql`r."name"`),
  displayName: textMatching('Display name of the resource.', Prisma.sql`r."display_name"`),
  createdBy: textMatching('User or service account that created the resource.', Prisma.sql`r."created_by"`),
};

/** For kinds with full Metadata, a status and indexed filter values. */
export const specifiedCriteria = {
  ...namedCriteria,
  displayName: textMatching('Display name of the resource.', Prisma.sql`r."display_name"`, 'displayName'),
  createdBy: textMatching(
    'User or service account that created the resource.',
    Prisma.sql`r."created_by"`,
    'createdBy',
  ),
  externalId: textMatching('External ID of the resource.', Prisma.sql`r."external_id"`, 'externalId'),
  labels: labelsMatching('Matches resources that have all of these labels.'),
  status: optionalWordMatching('Status of the resource.', status, Prisma.sql`r."status"::text`, 'status'),
  region: textMatching('Region of the resource.', Prisma.sql`(r."spec"->>'region')`, 'region'),
};

const generationOf = Prisma.sql`(r."spec"#>>'{runtime,generation}')`;

const enabledCondition = Prisma.sql`coalesce((r."spec"->>'enabled')::boolean, true)`;

/** Filters of workloads. */
export const workloadCriteria = {
  ...specifiedCriteria,
  enabled: truth('Matches enabled resources if true, and disabled resources if false.', enabledCondition, 'enabled'),
  image: textMatching('Image that the workload runs.', Prisma.sql`(r."spec"#>>'{runtime,image}')`, 'image'),
  generation: optionalWordMatching(
    'Runtime generation of the workload.',
    generation,
    generationOf,
    'generation',
    shownOr(
      // The tasks of triggers contain arbitrary fields of the caller.
      Prisma.sql`split_part(r."spec"::text, '"triggers":[', 1)`,
      (word) => [`"generation":"${word}"`],
      oneOf(generationOf),
    ),
  ),
};

/** Filters of workloads that can attach volumes. */
export const attachingCriteria = {
  volumes: textsIn(
    'Matches workloads with any of these persistent volumes attached, by name.',
    (names) => Prisma.sql`EXISTS (
      SELECT FROM json_entries(r."spec"->'volumes') AS entry
      WHERE entry->>'name' = ANY(${names}::text[]) AND entry->>'type' IS DISTINCT FROM 'ephemeral')`,
    'volume',
  ),
};
