// What account metrics are narrowed by. Pure.
import { invalidParameter } from '../errors.js';
import { unkept } from '../schema/text.js';
import type { BillingCatalog } from '../metering/billing-catalog.js';
import { ownName } from '../metering/billing-catalog.js';
import { billingDimensions, isBillingDimension } from '../metering/dimensions.js';
import type { GroupDimension } from '../metering/dimensions.js';

/** The dimension that each filter narrows. */
const filters = [
  { name: 'workspace', dimension: 'workspace' },
  { name: 'resourceType', dimension: 'resource_type' },
  { name: 'resourceName', dimension: 'resource_name' },
  { name: 'resourceUuid', dimension: 'resource_uuid' },
  { name: 'billingDimension', dimension: 'billing_dimension' },
] as const satisfies { name: string; dimension: GroupDimension }[];

/** The values that narrow an answer, by the names that both doors give them. */
export type FilterParameters = { [Filter in (typeof filters)[number]['name']]?: string | undefined };

export type MetricsFilters = Partial<Record<GroupDimension, string>>;

/** @throws 400 `invalid_parameter` */
export function filtersFromParameters(parameters: FilterParameters): MetricsFilters {
  const narrowed: MetricsFilters = {};
  for (const { name, dimension } of filters) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (value === '') throw invalidParameter(name, 'must not be empty');
    if (unkept.test(value)) throw invalidParameter(name, 'must not hold control characters');
    if (dimension === 'billing_dimension' && !isBillingDimension(value) && !ownName.test(value)) {
      throw unknownDimension();
    }
    narrowed[dimension] = value;
  }
  return narrowed;
}

/** @throws 400 `invalid_parameter` for a filter by a dimension that neither the specification nor the platform has. */
export function requireBilled({ filters: { billing_dimension: name } }: Filtered, catalog: BillingCatalog): void {
  if (name !== undefined && !isBillingDimension(name) && !catalog.dimensions.has(name)) {
    throw unknownDimension(catalog.dimensions.keys());
  }
}

/** Whether what a query filters by is known without looking at what the platform bills. */
export function isOfSpecification({ filters: { billing_dimension: name } }: Filtered): boolean {
  return name === undefined || isBillingDimension(name);
}

interface Filtered {
  filters: MetricsFilters;
}

function unknownDimension(own: Iterable<string> = []) {
  return invalidParameter(
    'billingDimension',
    `must be one of: ${[...Object.keys(billingDimensions), ...own].join(', ')}`,
  );
}
