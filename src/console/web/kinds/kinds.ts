import type { Changeable } from '../editing/changeables.js';
import type { IconName } from '../look/icon.js';

/** The kinds of resources in a workspace, by their value in the URL. */
export const kinds = {
  agents: { many: 'Agents', one: 'agent', type: 'Agent', icon: 'agents', billedAs: 'agent' },
  sandboxes: { many: 'Sandboxes', one: 'sandbox', type: 'Sandbox', icon: 'sandboxes', billedAs: 'sandbox' },
  jobs: { many: 'Jobs', one: 'job', type: 'Job', icon: 'jobs', billedAs: 'job' },
  volumes: { many: 'Volumes', one: 'volume', type: 'Volume', icon: 'volumes', billedAs: 'volume' },
  networks: { many: 'Networks', one: 'network', type: 'Vpc', icon: 'networks', billedAs: undefined },
} as const satisfies Record<
  string,
  { many: string; one: string; type: Changeable; icon: IconName; billedAs: string | undefined }
>;

export type Kind = keyof typeof kinds;

export const kindNames = ['agents', 'sandboxes', 'jobs', 'volumes', 'networks'] as const satisfies readonly Kind[];

export function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}

/** The kind billed as a resource type; undefined if it has no page. */
export function kindBilledAs(resourceType: string): Kind | undefined {
  return kindNames.find((kind) => kinds[kind].billedAs === resourceType);
}
