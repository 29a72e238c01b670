// Filters of account metrics and of usage events. Pure.
import { invalidParameter } from '../errors.js';
import { unkept } from '../schema/text.js';
import type { BillingCatalog } from './billing-catalog.js';
import { ownName } from './billing-catalog.js';
import { billingDimensions, isBillingDimension } from './dimensions.js';
import type { GroupDimension } from './dimensions.js';

/** The dimension of each filter. */
const filters = [
  { name: 'workspace', dimension: 'workspace' },
  { name: 'resourceType', dimension: 'resource_type' },
  { name: 'resourceName', dimension: 'resource_name' },
  { name: 'resourceUuid', dimension: 'resource_uuid' },
  { name: 'billingDimension', dimension: 'billing_dimension' },
] as const satisfies { name: string; dimension: GroupDimension }[];

/** Filter values by parameter name, the same in REST and GraphQL. */
export type FilterParameters = { [Filter in (typeof filters)[number]['name']]?: string | undefined };

export type MetricsFilters = Partial<Record<GroupDimension, string>>;

/** @throws 400 `invalid_parameter` */
export function filtersFromParameters(parameters: FilterParameters): MetricsFilters {
  const narrowed: MetricsFilters = {};
  for (const { name, dimension } of filters) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (value === '') throw invalidParameter(name, 'must not be empty');
    if (unkept.test(value)) throw invalidParameter(name, 'must not contain control characters');
    if (dimension === 'billing_dimension' && !isBillingDimension(value) && !ownName.test(value)) {
      throw unknownDimension();
    }
    narrowed[dimension] = value;
  }
  return narrowed;
}

/** @throws 400 `invalid_parameter` for a filter by a dimension that is neither specified nor custom. */
export function requireBilled({ filters: { billing_dimension: name } }: Filtered, catalog: BillingCatalog): void {
  if (name !== undefined && !isBillingDimension(name) && !catalog.dimensions.has(name)) {
    throw unknownDimension(catalog.dimensions.keys());
  }
}

/** Whether the filters can be validated without the billing catalog. */
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
