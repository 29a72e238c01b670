import { Prisma } from '../database/client/client.js';
import type { ReadStatements } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import type { BillingCatalog, Price } from './billing-catalog.js';
import type { DimensionKind } from './dimensions.js';
import { instantFromMs } from './instant.js';
import type { Instant } from './instant.js';

interface CatalogRows {
  dimensions: {
    name: string;
    unit: string;
    kind: DimensionKind;
    description: string;
    resourceTypes: string[];
    retired: number | null;
  }[];
  types: { name: string; description: string; retired: number | null }[];
  prices: { dimension: string; from: number; currency: string; unitPrice: string }[];
}

/** SQL for the milliseconds since 1970 of a time. */
const ms = (column: string) => Prisma.raw(`round(extract(epoch FROM "${column}") * 1000)::bigint`);

const statement = Prisma.sql`
  SELECT json_build_object(
    'dimensions', (SELECT coalesce(json_agg(json_build_object('name', "name", 'unit', "unit", 'kind', "kind", 'description', "description",
      'resourceTypes', "resource_types", 'retired', ${ms('retired_at')}) ORDER BY "name"), '[]') FROM "billing_dimension"),
    'types', (SELECT coalesce(json_agg(json_build_object('name', "name", 'description', "description",
      'retired', ${ms('retired_at')}) ORDER BY "name"), '[]') FROM "billed_resource_type"),
    'prices', (SELECT coalesce(json_agg(json_build_object('dimension', "billing_dimension", 'from', ${ms('from')},
      'currency', "currency", 'unitPrice', "unit_price"::text) ORDER BY "billing_dimension", "from"), '[]')
      FROM "billing_price"))::text`;

/** Reads the billing catalog in one statement. */
export async function readCatalog(db: ReadStatements): Promise<BillingCatalog> {
  const { dimensions, types, prices } = await readJson<CatalogRows>(db, statement);
  const byDimension = new Map<string, Price[]>();
  for (const { dimension, from, currency, unitPrice } of prices) {
    const own = byDimension.get(dimension) ?? [];
    own.push({ from: instantFromMs(from), currency, unitPrice: BigInt(unitPrice) });
    byDimension.set(dimension, own);
  }
  return {
    dimensions: new Map(
      dimensions.map(({ retired, ...dimension }) => [
        dimension.name,
        { ...dimension, retiredFrom: instantOf(retired) },
      ]),
    ),
    resourceTypes: new Map(
      types.map(({ name, description, retired }) => [name, { description, retiredFrom: instantOf(retired) }]),
    ),
    prices: byDimension,
  };
}

/** Reads the billing catalog on first use and caches it. */
export function catalogOnce(db: Statements): () => Promise<BillingCatalog> {
  let catalog: Promise<BillingCatalog> | undefined;
  return () => (catalog ??= readCatalog(db));
}

function instantOf(ms: number | null): Instant | undefined {
  return ms === null ? undefined : instantFromMs(ms);
}
