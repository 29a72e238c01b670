// What a list of agents is narrowed by: each alone, from what is frequent to what nothing matches, and two of them together.
import type { Asked } from './client.js';

export interface Question {
  what: string;
  filter: Record<string, unknown>;
}

/** What is known of one agent that is there: the oldest, which a list finds last. */
export interface Known {
  metadata: {
    name: string;
    displayName: string | null;
    externalId: string | null;
    createdAt: string;
    createdBy: string;
  };
  spec: { region: string | null; runtime: { image: string | null } | null };
}

export const knownQuery = `{ agents(first: 1, orderBy: { field: CREATED_AT, direction: ASC }) { nodes {
  metadata { name displayName externalId createdAt createdBy } spec { region runtime { image } } } } }`;

export async function singleFilters(ask: Asked): Promise<Question[]> {
  const { agents }: { agents: { nodes: Known[] } } = await ask(knownQuery);
  const [{ metadata, spec } = raise()] = agents.nodes;
  const label = (key: string, more: object) => ({ labels: [{ key, ...more }] });
  return [
    { what: 'status, most', filter: { status: { in: ['DEPLOYED'] } } },
    { what: 'status, some', filter: { status: { in: ['FAILED'] } } },
    { what: 'status, few', filter: { status: { in: ['TERMINATED'] } } },
    { what: 'label has a value, a third', filter: label('tier', { in: ['gold'] }) },
    { what: 'label has a value, a fortieth', filter: label('cost-centre', { in: ['CC-117'] }) },
    { what: 'label has a value, none', filter: label('tier', { in: ['lead'] }) },
    { what: 'label exists, a fifth', filter: label('data-class', { isSet: true }) },
    { what: 'label exists not, none', filter: label('tier', { isSet: false }) },
    { what: 'region, some', filter: { region: { in: [spec.region] } } },
    { what: 'region, none', filter: { region: { in: ['nowhere-1'] } } },
    { what: 'switched off', filter: { enabled: false } },
    { what: 'generation', filter: { generation: { in: ['MK2'] } } },
    { what: 'trigger', filter: { triggerType: ['CRON'] } },
    { what: 'image', filter: { image: { in: [spec.runtime?.image] } } },
    { what: 'volume, none', filter: { volumes: ['no-such-volume'] } },
    { what: 'name starts with, some', filter: { name: { startsWith: 'invoice-' } } },
    { what: 'name starts with, none', filter: { name: { startsWith: 'xylophone' } } },
    { what: 'name, the oldest', filter: { name: { in: [metadata.name] } } },
    { what: 'display name, the oldest', filter: { displayName: { in: [metadata.displayName] } } },
    { what: 'external id, the oldest', filter: { externalId: { in: [metadata.externalId ?? 'none'] } } },
    { what: 'made by', filter: { createdBy: { in: [metadata.createdBy] } } },
    { what: 'made in the first hour', filter: { createdAt: { to: hourAfter(metadata.createdAt) } } },
    { what: 'changed in the last day of all', filter: { updatedAt: { from: '2026-10-31T00:00:00Z' } } },
  ];
}

/** Two of them at once, of which each leaves something. */
export function pairsOf(singles: readonly Question[]): Question[] {
  const chosen = singles.filter(
    ({ what }) => !what.includes('none') && !what.includes('oldest') && !what.includes('most'),
  );
  return chosen.flatMap((one, index) =>
    chosen
      .slice(index + 1)
      .filter((other) => Object.keys(other.filter)[0] !== Object.keys(one.filter)[0])
      .map((other) => ({ what: `${one.what}; ${other.what}`, filter: { ...one.filter, ...other.filter } })),
  );
}

function hourAfter(time: string): string {
  return new Date(Date.parse(time) + 3_600_000).toISOString();
}

function raise(): never {
  throw new RangeError('there is no agent');
}
