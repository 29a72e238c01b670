// What a workspace holds, as the refusal tells it that a deletion without force gets.

export interface Holding {
  /** Such as EGRESS_GATEWAY. */
  kind: string;
  count: number;
}

/** Reads what is held from the details of a refusal; undefined when they tell something else. */
export function holdingsIn(details: unknown): Holding[] | undefined {
  if (typeof details !== 'object' || details === null || !('holds' in details)) return undefined;
  const { holds } = details;
  return Array.isArray(holds) ? holds.filter(isHolding) : undefined;
}

function isHolding(value: unknown): value is Holding {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('count' in value)) return false;
  return typeof value.kind === 'string' && typeof value.count === 'number';
}
