// The tabs of resource pages, by their last part of the URL. The overview has none.
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';

export const tabTitles = {
  executions: 'Executions',
  configuration: 'Configuration',
  activity: 'Activity',
  costs: 'Costs',
  yaml: 'YAML',
} as const;

export type ResourceTab = keyof typeof tabTitles;

const tabNames = ['executions', 'configuration', 'activity', 'costs', 'yaml'] as const satisfies readonly ResourceTab[];

/** The tabs of a kind besides the overview. */
export function tabsOf(kind: Kind): ResourceTab[] {
  return tabNames.filter(
    (tab) => (tab !== 'executions' || kind === 'jobs') && (tab !== 'costs' || kinds[kind].billedAs !== undefined),
  );
}

export function tabIn(kind: Kind, text: string | undefined): ResourceTab | undefined {
  return tabsOf(kind).find((tab) => tab === text);
}
