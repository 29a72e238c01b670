// Groups in the order of their costs, beyond REST: a dashboard's top ten is one page.
import { beforeAll, describe, expect, it } from 'vitest';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askAccount, metricsIn } from './graphql-samples.js';
import { recount, units } from './recount.js';
import type { PlainEntry, PlainEvent } from './recount.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let owner: Owner;

/** Forty resources, many with the same cost and some without; of two texts, the later one comes first. */
const events: PlainEvent[] = Array.from({ length: 120 }, (_, n) =>
  usageEvent(n, {
    workspace: n % 2 === 0 ? 'main' : 'side',
    resourceName: `r-${n % 40}`,
    resourceUuid: n % 40 < 3 ? '' : `i-${(n * 7) % 40}`,
    cost: n % 4 === 0 ? '0' : `${n % 5}.${'0'.repeat(8)}${n % 2}`,
  }),
);

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

const window = { startTime: '2026-11-01T00:00:00.500Z', endTime: '2026-11-02T12:34:56.789Z' } as const;
const windowWords = `startTime: "${window.startTime}", endTime: "${window.endTime}"`;

function ordered(groupBy: string[], sign: 1 | -1): PlainEntry[] {
  // Sorting is stable, and keys are the secondary order.
  return recount(events, { ...window, resolution: 'hourly', groupBy, filters: {} }).toSorted((one, other) =>
    one.cost === other.cost ? 0 : one.cost < other.cost ? -sign : sign,
  );
}

const groupings = [
  ['resource_name'],
  ['resource_uuid'],
  ['workspace'],
  ['resource_name', 'workspace'],
  ['resource_type', 'billing_dimension', 'workspace'],
];

describe.each([
  { direction: 'DESC', sign: -1 },
  { direction: 'ASC', sign: 1 },
] as const)('In the order of cost, $direction', ({ direction, sign }) => {
  const ask = async (groupBy: string[], args: string) => {
    const words = `${windowWords}, orderBy: { field: COST, direction: ${direction} }, groupBy: [${groupBy.join(', ').toUpperCase()}]`;
    const fields = `summary { totalCost } entries(${args}) {
      nodes { resourceName resourceUuid cost timeseries { cost } } pageInfo { hasNextPage endCursor } }`;
    return metricsIn(running.app, owner, words, fields);
  };

  it.each(groupings.map((groupBy) => ({ groupBy })))(
    'pages by $groupBy contain each group once',
    async ({ groupBy }) => {
      const expected = ordered(groupBy, sign);
      const total = expected.reduce((sum, { cost }) => sum + cost, 0n);
      const found: { cost: string; timeseries: { cost: string }[]; resourceName: string | null }[] = [];
      for (let after = 'null', isLast = false; !isLast;) {
        const { summary, entries } = await ask(groupBy, `first: 3, after: ${after}`);
        expect(units(summary.totalCost, 9)).toBe(total);
        found.push(...entries.nodes);
        after = JSON.stringify(entries.pageInfo.endCursor);
        isLast = !entries.pageInfo.hasNextPage;
      }
      expect(found.map(({ cost }) => units(cost, 9))).toEqual(expected.map(({ cost }) => cost));
      expect(found.map(({ resourceName }) => resourceName)).toEqual(
        expected.map(({ fields }) => fields['resourceName'] ?? null),
      );
      expect(found.map(({ timeseries }) => timeseries.map(({ cost }) => units(cost, 9)))).toEqual(
        expected.map(({ timeseries }) => timeseries.map(({ cost }) => cost)),
      );
    },
  );

  it('the ten most expensive are one page', async () => {
    const { entries } = await ask(['resource_name'], 'first: 10');
    const names = entries.nodes.map(({ resourceName }: { resourceName: string }) => resourceName);
    expect(names).toEqual(
      ordered(['resource_name'], sign)
        .slice(0, 10)
        .map(({ key }) => key[0]),
    );
  });
});

describe('A cursor of one order', () => {
  it('is rejected for another order', async () => {
    const words = `${windowWords}, groupBy: [RESOURCE_NAME]`;
    const first = 'entries(first: 1) { pageInfo { endCursor } }';
    const { entries } = await metricsIn(
      running.app,
      owner,
      `${words}, orderBy: { field: COST, direction: DESC }`,
      first,
    );
    for (const other of ['', ', orderBy: { field: COST, direction: ASC }']) {
      const again = `metrics(${words}${other}) { entries(after: "${entries.pageInfo.endCursor}") { nodes { cost } } }`;
      const { body } = await askAccount(running.app, owner, again);
      expect(body.errors[0]).toMatchObject({
        message:
          'after belongs to a different query. Keep the workspace, filters and order, or start from the first page',
        extensions: { code: 'cursor_mismatch', status: 400 },
      });
    }
  });
});
