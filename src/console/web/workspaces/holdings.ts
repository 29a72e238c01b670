// The contents of a workspace, from the error of a deletion without force.

export interface Holding {
  /** Such as EGRESS_GATEWAY. */
  kind: string;
  count: number;
}

/** Reads the contents from the details of an error; undefined if it is another error. */
export function holdingsIn(details: unknown): Holding[] | undefined {
  if (typeof details !== 'object' || details === null || !('holds' in details)) return undefined;
  const { holds } = details;
  return Array.isArray(holds) ? holds.filter(isHolding) : undefined;
}

function isHolding(value: unknown): value is Holding {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('count' in value)) return false;
  return typeof value.kind === 'string' && typeof value.count === 'number';
}
