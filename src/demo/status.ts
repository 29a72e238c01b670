import type { Status } from '../schema/resource.js';
import type { Random } from './random.js';

/** The distribution of a fleet over the statuses (percent). All others are DEPLOYED. */
const statusShares: [Status, number][] = [
  ['DEPLOYING', 4],
  ['BUILDING', 4],
  ['BUILT', 3],
  ['UPLOADING', 2],
  ['FAILED', 6],
  ['DEACTIVATED', 7],
  ['DEACTIVATING', 2],
  ['DELETING', 2],
];

/** Each status occurs early in the list, so that a small fleet contains all of them. */
export function statusAt(index: number, random: Random): Status {
  const early = statusShares[(index - 2) / 5];
  if (early !== undefined) return early[0];
  let draw = random.below(100);
  for (const [status, share] of statusShares) {
    if (draw < share) return status;
    draw -= share;
  }
  return 'DEPLOYED';
}

/** States that last minutes: of the resources that people look at, one each is in them. */
const passing: ReadonlySet<Status> = new Set([
  'UPLOADING',
  'BUILDING',
  'BUILT',
  'DEPLOYING',
  'DEACTIVATING',
  'DELETING',
]);

/** The same for resources that are already enabled or disabled, because their status depends on that. */
export function statusOf(index: number, isEnabled: boolean, random: Random): Status {
  const drawn = statusAt(index, random);
  const isEarly = statusShares[(index - 2) / 5] !== undefined;
  const status = passing.has(drawn) && !isEarly ? 'DEPLOYED' : drawn;
  const isOff = status === 'DEACTIVATED' || status === 'DEACTIVATING';
  if (isOff !== isEnabled) return status;
  return isEnabled ? 'DEPLOYED' : 'DEACTIVATED';
}
