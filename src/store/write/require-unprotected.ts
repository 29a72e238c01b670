// Refuses the deletion of protected resources.
import type { ResourceKind } from '../read/resource-kind.js';
import { ApiError } from '../../errors.js';

/**
 * Refuses the deletion of a locked resource that is protected.
 *
 * @param reason why it would be deleted, if the caller deletes something else.
 * @throws 409 `protected`
 */
export function requireUnprotected(
  { label }: Pick<ResourceKind<object>, 'label'>,
  row: { name?: string; protected?: boolean },
  reason = '',
): void {
  if (row.protected !== true) return;
  throw new ApiError(
    'protected',
    `metadata.protected is true for the ${label} ${JSON.stringify(row.name)}${reason}, so it cannot be deleted. ` +
      'Set the field to false with an update first.',
    { field: 'metadata.protected' },
  );
}
