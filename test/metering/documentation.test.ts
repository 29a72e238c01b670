// The requests of docs/metrics.md that record usage, sent unchanged: each has the documented response.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { frozenNow, useApp } from '../harness.js';
import { sendUsage } from './usage-http.js';
import { createOwner } from './usage-mixture.js';

const running = useApp();
const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
/** As the shell sends it. */
const page = text.replaceAll("'$NOW'", frozenNow.toISOString());
const request =
  /usage\/events" -H "Authorization: Bearer \$KEY" -H 'Content-Type: ([^']+)' -d '([^']+)'\n```\n(?:\n```json\n(.*?)```)?/gs;
const requests = Array.from(page.matchAll(request), ([, type = '', body = '', answer]) => ({ type, body, answer }));

describe('docs/metrics.md', () => {
  it('shows requests with their responses', async () => {
    const { app } = running;
    const owner = await createOwner(app, 'meridian-freight', ['meridian-production']);
    const credit = { unit: 'USD', kind: 'credit', description: 'Given back' } as const;
    await createBillingDimension(await platformContext(app.services), {
      ...credit,
      name: 'goodwill_credit',
      resourceTypes: ['sandbox', 'agent'],
    });
    expect(requests.map(({ type }) => type)).toEqual([
      'application/json',
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
      'application/json',
    ]);
    for (const { type, body, answer } of requests) {
      const sent = await sendUsage(app, owner.key, body, { type });
      expect(sent).toMatchObject({ status: 200, body: answer === undefined ? { accepted: 1 } : JSON.parse(answer) });
    }
  });
});
