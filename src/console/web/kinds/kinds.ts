import type { Changeable } from '../editing/changeables.js';
import type { IconName } from '../look/icon.js';

/** The kinds of things that live in a workspace, by the word that their addresses have. */
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

/** The kind whose usage is billed under a raw resource type; undefined for what has no page of its own. */
export function kindBilledAs(resourceType: string): Kind | undefined {
  return kindNames.find((kind) => kinds[kind].billedAs === resourceType);
}
