// The resources that this browser opened last, for the palette.
import { isKind } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { readStored, store } from '../lists/browser-storage.js';

export interface RecentResource {
  workspace: string;
  kind: Kind;
  name: string;
}

const key = 'console:recent';
const recentMax = 8;

export function rememberResource(resource: RecentResource): void {
  const others = recentResources().filter((each) => !isSame(each, resource));
  store(key, [resource, ...others].slice(0, recentMax));
}

/** The latest first. */
export function recentResources(): RecentResource[] {
  const stored = readStored(key);
  return (Array.isArray(stored) ? stored : []).flatMap((each: unknown): RecentResource[] => {
    if (typeof each !== 'object' || each === null) return [];
    if (!('workspace' in each && 'kind' in each && 'name' in each)) return [];
    const { workspace, kind, name } = each;
    const isValid = typeof workspace === 'string' && typeof name === 'string' && typeof kind === 'string';
    return isValid && isKind(kind) ? [{ workspace, kind, name }] : [];
  });
}

function isSame(one: RecentResource, other: RecentResource): boolean {
  return one.workspace === other.workspace && one.kind === other.kind && one.name === other.name;
}
