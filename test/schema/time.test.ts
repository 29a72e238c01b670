import { describe, expect, it } from 'vitest';
import { timeText } from '../../src/schema/time.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';

const running = useApp();

const refused = [
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:30:00-01:00',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-05:00',
  '2026-01-01T00:00:00+16:00',
  '2026-01-01T00:00:00-23:59',
  `2026-01-01T00:00:00.${'1'.repeat(200)}Z`,
  '2026-02-30T00:00:00Z',
  '2026-01-01',
];
const accepted = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.123456789+15:59'];

describe('A time', () => {
  it.each(refused)('is rejected: %s', (text) => {
    expect(timeText.safeParse(text).success).toBe(false);
  });

  it('that is rejected as a literal of a document is located in it', async () => {
    const { app } = running;
    const { key } = await createKey(app, await createTenant(app, { account: 'southwind', workspaces: ['south'] }));
    const document = '{ changes(filter: { time: { from: "0000-01-01T00:00:00Z" } }) { filteredCount } }';
    const { body } = await graphql(app, key, document);
    expect(body.errors).toMatchObject([{ locations: [{ line: 1, column: document.indexOf('"') + 1 }] }]);
  });

  it('that is accepted is accepted by PostgreSQL, also in the filter of a list and of changes', async () => {
    const { app } = running;
    const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
    const document = `query ($time: DateTime!) {
      from: agents(filter: { createdAt: { from: $time } }) { totalCount }
      to: agents(filter: { createdAt: { to: $time } }) { totalCount }
      changes(filter: { time: { to: $time } }) { filteredCount } }`;
    for (const time of accepted) {
      const { body } = await graphql(app, key, document, { time });
      expect([time, body.errors]).toEqual([time, undefined]);
    }
    for (const time of refused) {
      const { body } = await graphql(app, key, document, { time });
      expect([time, body.errors[0].extensions.code]).toEqual([time, 'invalid_request']);
    }
  });
});
