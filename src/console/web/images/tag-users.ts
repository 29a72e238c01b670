// Which workloads run which tag of an image.
import type { Kind } from '../kinds/kinds.js';
import type { Image } from './image-queries.js';

export interface TagUser {
  id: string;
  kind: Kind;
  name: string;
  status: string | null;
  /** The tag in the image reference of its spec; undefined if it names none, or a digest. */
  tag: string | undefined;
}

const kindsOfType = new Map<string, Kind>([
  ['Agent', 'agents'],
  ['Sandbox', 'sandboxes'],
  ['Job', 'jobs'],
]);

/** The workloads that run an image, by name. */
export function tagUsersOf({ workloads }: Pick<Image, 'workloads'>): TagUser[] {
  return (workloads?.nodes ?? []).flatMap((workload) => {
    const kind = kindsOfType.get(workload.__typename);
    if (kind === undefined) return [];
    const { id, status, metadata } = workload;
    const image = 'spec' in workload ? workload.spec.runtime?.image : undefined;
    return [{ id, kind, status, name: metadata.name, tag: tagIn(image ?? '') }];
  });
}

/** The tag of an image reference: `r7` in `registry.example.com:5000/agents/triage:r7`. */
export function tagIn(reference: string): string | undefined {
  const [path = ''] = reference.split('@');
  return /:([^:/]+)$/.exec(path)?.[1];
}
