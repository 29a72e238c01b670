// Criteria that several kinds have in common.
import { Prisma } from '../../database/client/client.js';
import { isOneOf, isShownOr, labelsMatching, nameMatching, textIn, timeBetween, truth, wordIn } from './criterion.js';
import { status } from '../../schema/resource.js';
import { generation } from '../../schema/runtime.js';

/** Of whatever was made and changed at some time. */
export const timedCriteria = {
  createdAt: timeBetween('When it was made.', 'created_at'),
  updatedAt: timeBetween('When it was changed last.', 'updated_at'),
};

/** Of whatever has a name, and was made by somebody. */
export const namedCriteria = {
  ...timedCriteria,
  name: nameMatching('Its name.', 'name'),
  displayName: textIn('Its display name is one of these.', isOneOf(Prisma.sql`r."display_name"`)),
  createdBy: textIn('Who made it is one of these.', isOneOf(Prisma.sql`r."created_by"`)),
};

/** Of the kinds that have the whole of Metadata, a status and facets. */
export const specifiedCriteria = {
  ...namedCriteria,
  displayName: textIn('Its display name is one of these.', isOneOf(Prisma.sql`r."display_name"`), 'displayName'),
  createdBy: textIn('Who made it is one of these.', isOneOf(Prisma.sql`r."created_by"`), 'createdBy'),
  externalId: textIn('Its external id is one of these.', isOneOf(Prisma.sql`r."external_id"`), 'externalId'),
  labels: labelsMatching('It has all of these labels.'),
  status: wordIn('Its status is one of these.', status, isOneOf(Prisma.sql`r."status"::text`), 'status'),
  region: textIn('Its region is one of these.', isOneOf(Prisma.sql`(r."spec"->>'region')`), 'region'),
};

const isEnabled = Prisma.sql`coalesce((r."spec"->>'enabled')::boolean, true)`;

/** Of workloads, which run something. */
export const workloadCriteria = {
  ...specifiedCriteria,
  enabled: truth('Whether it is enabled.', isEnabled, 'enabled'),
  image: textIn(
    'The image that it runs is one of these.',
    isOneOf(Prisma.sql`(r."spec"#>>'{runtime,image}')`),
    'image',
  ),
  generation: wordIn(
    'The generation of its runtime is one of these.',
    generation,
    isShownOr(
      // Tasks of triggers hold whatever their callers name.
      Prisma.sql`split_part(r."spec"::text, '"triggers":[', 1)`,
      (word) => [`"generation":"${word}"`],
      isOneOf(Prisma.sql`(r."spec"#>>'{runtime,generation}')`),
    ),
    'generation',
  ),
};

/** Of workloads that can have volumes attached. */
export const attachingCriteria = {
  volumes: textIn(
    'One of these persistent volumes is attached to it, by name.',
    (names) => Prisma.sql`EXISTS (
      SELECT FROM json_entries(r."spec"->'volumes') AS entry
      WHERE entry->>'name' = ANY(${names}::text[]) AND entry->>'type' IS DISTINCT FROM 'ephemeral')`,
    'volume',
  ),
};
