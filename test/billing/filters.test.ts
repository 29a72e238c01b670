// Filters narrow an answer to the events that have exactly their values.
import { beforeAll, describe, expect, it } from 'vitest';
import { filtersFromParameters } from '../../src/metering/metrics-filters.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from './metrics-bodies.js';
import type { PlainQuery } from './recount.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
const events = mixedUsage(200, 'northwind', ['main', 'side']);

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

const window = { startTime: '2026-10-02T10:20:30Z', endTime: '2026-11-19T08:09:10Z', resolution: 'weekly' } as const;

const filters: PlainQuery['filters'][] = [
  { workspace: 'side' },
  { resourceType: 'sandbox' },
  { resourceName: 'api' },
  { resourceUuid: 'i-1' },
  { billingDimension: 'agent_async_requests_count' },
  { workspace: 'main', resourceType: 'volume' },
  { resourceName: 'web', resourceUuid: 'i-10' },
  { resourceType: 'sandbox', billingDimension: 'sandbox_image_storage_gbs', resourceUuid: 'I-1' },
  { resourceType: 'agent', billingDimension: 'volume_storage_gbs' },
  // Comparison is case-sensitive, without patterns, and no text is special.
  { resourceName: 'API' },
  { resourceName: 'ap_' },
  { resourceName: '%' },
  ...["it's", '"', 'NULL', '{x}', '\\', 'a b', 'ü'].map((resourceName) => ({ resourceName })),
  { resourceUuid: '\u{1F69A}' },
  { resourceName: ' api' },
  { workspace: 'no-such' },
];

describe('Filtered metrics', () => {
  it.each(filters.map((given) => ({ given })))('by %j contain only matching usage', async ({ given }) => {
    for (const groupBy of [[], ['resource_type'], ['resource_uuid'], ['billing_dimension', 'resource_name']]) {
      const query = { ...window, groupBy, filters: given };
      const { body } = await askMetrics(running.app, owner, wordsOf(query));
      expect(body).toEqual(expectedBody(events, query));
    }
  });

  it('reject half a surrogate pair, which the database would replace', () => {
    // A URL cannot contain one; a GraphQL variable can.
    expect(() => filtersFromParameters({ resourceName: '\ud800' })).toThrow(
      'resourceName must not contain control characters',
    );
  });
});
