// The results of q in GET /agents.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, rest, useApp } from '../../harness.js';
import type { Answer } from '../../harness.js';

const running = useApp();
let key: string;
const everyone = [
  'bulk-0',
  'bulk-1',
  'bulk-2',
  'bulk-3',
  'bulk-4',
  'checkout-bot',
  'greek',
  'labelled',
  'odd-signs',
  'plain',
  'split-a',
  'titled',
];

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(app, tenant.workspaces['main'], [
    anAgent('checkout-bot'),
    anAgent('titled', { metadata: { displayName: 'ÉLAN Vital: Größe 東京' } }),
    anAgent('greek', { metadata: { displayName: 'ΟΔΟΣΑ' } }),
    anAgent('labelled', { metadata: { labels: { Team: 'Search And Rescue', zone: 'X9' } } }),
    anAgent('odd-signs', { metadata: { displayName: '100%_sure\\done "quoted" it\'s' } }),
    anAgent('split-a', { metadata: { displayName: 'bcd', labels: { efg: 'hij' } } }),
    anAgent('plain', { metadata: { displayName: '100 of sure done' } }),
    ...Array.from({ length: 5 }, (_, index) =>
      anAgent(`bulk-${index}`, {
        metadata: {
          displayName: 'Many alike',
          createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 2))).toISOString(),
        },
      }),
    ),
  ]);
});

async function search(q: string, more: Record<string, string> = {}): Promise<Answer> {
  return rest(running.app, `/agents?${new URLSearchParams({ q, ...more })}`, { key, version: '2026-04-28' });
}

function namesOf({ body }: Answer): string[] {
  const items: { metadata: { name: string } }[] = body.data;
  return items.map(({ metadata }) => metadata.name);
}

async function found(q: string): Promise<string[]> {
  return namesOf(await search(q)).toSorted();
}

describe('q', () => {
  it.each([
    { what: 'the start of a name', q: 'check', finds: ['checkout-bot'] },
    { what: 'the middle of a name', q: 'out-b', finds: ['checkout-bot'] },
    { what: 'the end of a name', q: 'bot', finds: ['checkout-bot'] },
    { what: 'two characters', q: 'x9', finds: ['labelled'] },
    { what: 'a displayName', q: 'vital:', finds: ['titled'] },
    { what: 'the key of a label', q: 'team', finds: ['labelled'] },
    { what: 'the value of a label', q: 'and rescue', finds: ['labelled'] },
    { what: 'other case', q: 'CHECKOUT', finds: ['checkout-bot'] },
    { what: 'space around it, which is trimmed', q: '  \tcheckout-bot \n', finds: ['checkout-bot'] },
    { what: 'É for é, and é for É', q: 'élan', finds: ['titled'] },
    { what: 'É as it is', q: 'ÉLAN', finds: ['titled'] },
    { what: 'umlauts and ß', q: 'GRÖße', finds: ['titled'] },
    { what: 'Greek capitals, whose last letter has two small forms', q: 'ΟΔΟΣ', finds: ['greek'] },
    { what: 'two characters that are not Latin', q: '東京', finds: ['titled'] },
    { what: 'text without a match', q: 'zzzz', finds: [] },
    { what: 'a literal %', q: '0%', finds: ['odd-signs'] },
    { what: 'a literal _', q: '%_s', finds: ['odd-signs'] },
    { what: '_ as a literal', q: '100_', finds: [] },
    { what: '% as a literal', q: '100%sure', finds: [] },
    { what: 'a literal backslash', q: 'sure\\done', finds: ['odd-signs'] },
    { what: 'a backslash at the end', q: 'e\\', finds: ['odd-signs'] },
    { what: 'quotes', q: '"quoted" it\'s', finds: ['odd-signs'] },
    { what: 'name and displayName run together', q: 'split-abcd', finds: [] },
    { what: 'name, space and displayName', q: 'split-a bcd', finds: [] },
    { what: 'displayName and label run together', q: 'bcdefg', finds: [] },
    { what: 'key and value of a label run together', q: 'efghij', finds: [] },
  ])('searches for $what', async ({ q, finds }) => {
    expect(await found(q)).toEqual(finds);
  });

  it.each(['', ' ', 'b', '  b  ', '東', '\n'])('below two characters (%j) is ignored', async (q) => {
    expect(await found(q)).toEqual(everyone);
  });

  it('accepts 200 characters after trimming, and rejects more with 400', async () => {
    expect((await search(`  ${'é'.repeat(200)}  `)).status).toBe(200);
    expect((await search('😀'.repeat(200))).status).toBe(200);
    const { status, body } = await search('a'.repeat(201));
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'invalid_parameter', code: 400, message: expect.stringContaining('q must') });
  });

  it('is measured as sent, not in lower case', async () => {
    // In lower case this letter is two characters long.
    expect((await search('İ'.repeat(200))).status).toBe(200);
  });

  it.each(['a\u0000b', 'split-a\u001fbcd', 'a\nb', 'a\u007fb', 'a\u0085b'])(
    'rejects the control character in %j with 400',
    async (q) => {
      const { status, body } = await search(q);
      expect(status).toBe(400);
      expect(body.error).toBe('invalid_parameter');
    },
  );

  it('rejects bytes that are not UTF-8', async () => {
    const { status, body } = await rest(running.app, '/agents?q=%ff%fe%zz', { key, version: '2026-04-28' });
    expect([status, body.error]).toEqual([400, 'invalid_parameter']);
    expect(body.message).toMatch(/^q must be percent-encoded UTF-8/);
  });

  it.each(['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'])('paginates with the sort %s', async (sort) => {
    const whole = namesOf(await search('alike', { sort }));
    expect(whole.toSorted()).toEqual(everyone.slice(0, 5));
    for (let limit = 1; limit <= 6; limit++) {
      const names: string[] = [];
      let cursor: string | undefined;
      while (cursor !== '') {
        const more: Record<string, string> = cursor === undefined ? {} : { cursor };
        const answer = await search('alike', { sort, limit: String(limit), ...more });
        names.push(...namesOf(answer));
        cursor = answer.body.meta.nextCursor;
      }
      expect(names).toEqual(whole);
    }
  });

  it('searches only its own workspace', async () => {
    const other = await createTenant(running.app, { account: 'contoso', workspaces: ['elsewhere'] });
    await addAgents(running.app, other.workspaces['elsewhere'], [anAgent('checkout-bot')]);
    expect(namesOf(await search('checkout-bot'))).toHaveLength(1);
  });
});
