// The groupings that lists are counted by.
import { Prisma } from '../../database/client/client.js';

/** Groupings of kinds with metadata and a status. */
export const specifiedGroupings = {
  status: 'Group by status.',
  region: 'Group by region.',
  label: 'Group by the value of a label. Set `label` to its key.',
} as const;

/** Groupings of workloads. */
export const workloadGroupings = { ...specifiedGroupings, generation: 'Group by runtime generation.' } as const;

export const imageGroupings = {
  resourceType: 'Group by the type of workload that the image is deployed as.',
  sourceWorkspace: 'Group by the workspace that shared the image.',
} as const;

export const previewGroupings = {
  region: 'Group by region.',
  public: 'Group by public access: true or false.',
} as const;

export const gatewayGroupings = { status: 'Group by status.', region: 'Group by region.' } as const;

export const ipGroupings = { ipFamily: 'Group by IP family.' } as const;

export type Grouping =
  | keyof typeof workloadGroupings
  | keyof typeof imageGroupings
  | keyof typeof previewGroupings
  | keyof typeof ipGroupings;

/** The maximum number of values returned for one list: the most frequent. */
export const groupsMax = 200;

/** The number of resources with one value. */
export interface GroupCount {
  /** Null for resources without a value. */
  value: string | null;
  count: number;
}

/** SQL of a stored value of an enum as the API names it: in upper case, whatever the locale of the server (İ in Turkish). */
export function enumNameSql(value: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`upper(${value} COLLATE "C")`;
}

/** Returns SQL for the group of a row `r`. */
export function groupValue(by: Grouping, label: string): Prisma.Sql {
  switch (by) {
    case 'status':
      return enumNameSql(Prisma.sql`r."status"::text`);
    case 'region':
      return Prisma.sql`r."spec"->>'region'`;
    case 'generation':
      return enumNameSql(Prisma.sql`(r."spec"#>>'{runtime,generation}')`);
    case 'resourceType':
      return enumNameSql(Prisma.sql`r."resource_type"::text`);
    case 'sourceWorkspace':
      return Prisma.sql`r."source_workspace"`;
    case 'public':
      return Prisma.sql`coalesce((r."spec"->>'public')::boolean, false)::text`;
    case 'ipFamily':
      return Prisma.sql`r."spec"->>'ipFamily'`;
    case 'label':
      return Prisma.sql`r."labels"->>${label}`;
  }
}

/** Orders groups by frequency, most frequent first, as the database does. Null comes last among equals. */
export function byFrequency(one: GroupCount, other: GroupCount): number {
  if (one.count !== other.count) return other.count - one.count;
  if (one.value === null || other.value === null) return one.value === null ? 1 : -1;
  return Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
}
