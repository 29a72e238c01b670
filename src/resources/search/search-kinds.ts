import type { HeldKind } from '../overview/holdings.js';

/** What is found by name, in the order in which what has one name comes. */
export const searchKinds = {
  AGENT: 'Agents.',
  SANDBOX: 'Sandboxes.',
  SANDBOX_PREVIEW: 'Previews of sandboxes.',
  JOB: 'Jobs.',
  VOLUME: 'Volumes.',
  IMAGE: 'Container images.',
  VPC: 'VPCs.',
  EGRESS_GATEWAY: 'Egress gateways of VPCs.',
  EGRESS_IP: 'Addresses of egress gateways.',
} as const satisfies Partial<Record<HeldKind, string>>;

export type SearchKind = keyof typeof searchKinds;

export function isSearchKind(word: string): word is SearchKind {
  return word in searchKinds;
}

export const allSearchKinds = Object.keys(searchKinds).filter(isSearchKind);
