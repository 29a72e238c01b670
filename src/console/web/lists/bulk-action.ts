// The actions on many resources, and how they are undone.
import { isFields } from '../editing/patch.js';
import type { Fields } from '../editing/patch.js';

export type BulkAction = Switch | 'delete';

type Switch = 'enable' | 'disable';

export function opposite(action: Switch): Switch {
  return action === 'enable' ? 'disable' : 'enable';
}

/** Whether a resource is already enabled or disabled, so that the action does not change it. The default is enabled. */
export function isAlready(action: Switch, { spec }: Fields): boolean {
  const isEnabled = !isFields(spec) || spec['enabled'] !== false;
  return isEnabled === (action === 'enable');
}
