// The filter of a PATCH path selects the same values as that of a list, and both refuse the same filters alike.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../../harness.js';
import { createProvider, filtered } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme' });
let acme: Provider;
let path: string;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
  const { id } = await acme.create('ada@acme.example');
  path = `/Users/${id}`;
});

/** Texts whose lower case, order or form differs between JavaScript and PostgreSQL, and those of other types. */
const texts = [
  'work',
  'WORK',
  'wor',
  'Zoë',
  'ZOË',
  'İ',
  'i̇',
  'ΑΣ',
  'ας',
  '\u{1F600}',
  '\uFFFD',
  'x%',
  'true',
  'False',
  '5',
];

const email = fc.record(
  { value: fc.constantFrom(...texts), type: fc.constantFrom(...texts), primary: fc.boolean() },
  { requiredKeys: ['value'] },
);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...texts, '') },
  fc.constantFrom<unknown>(true, false, null, 5, 1.5, 'a\0b', '\uD800', '2026-11-20T12:00:00Z'),
);

const names = ['value', 'type', 'TYPE', 'primary', 'display', 'value.type', 'emails', 'constructor'];
const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('value', 'type', 'primary') }, fc.constantFrom(...names));
const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le');

const comparison = fc
  .tuple(name, operator, value)
  .map(([attribute, compared, operand]) => `${attribute} ${compared} ${JSON.stringify(operand)}`);

const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: comparison },
    name.map((attribute) => `${attribute} pr`),
    tie('filter').map((inner) => `not (${inner})`),
    tie('filter').map((inner) => `type[${inner}]`),
    fc
      .tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter'))
      .map(([one, word, other]) => `(${one}) ${word} (${other})`),
  ),
}));

describe('A filter of emails', () => {
  it('finds a user if, and only if, a removal with it in the path removes an address; both refuse it alike', async () => {
    const seen = { found: 0, missed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(filter, fc.array(email, { minLength: 1, maxLength: 3 }), async (text, emails) => {
        const before = await acme.patch(path, { op: 'replace', path: 'emails', value: emails });
        const listed = await acme.send('GET', filtered('/Users', `emails[${text}]`));
        const removed = await acme.patch(path, { op: 'remove', path: `emails[${text}]` });
        const ofList = { status: listed.status, scimType: listed.body.scimType, detail: listed.body.detail };
        const ofPatch = { status: removed.status, scimType: removed.body.scimType, detail: removed.body.detail };
        expect(ofPatch).toEqual(ofList);
        const addresses = (body: { emails?: unknown[] }) => body.emails?.length ?? 0;
        const isFound = listed.body.totalResults === 1;
        const isRemoved = listed.status === 200 && addresses(removed.body) < addresses(before.body);
        expect({ text, emails, isRemoved }).toEqual({ text, emails, isRemoved: isFound });
        seen[listed.status === 400 ? 'refused' : isFound ? 'found' : 'missed']++;
      }),
      { numRuns: 120 },
    );
    expect(Math.min(seen.found, seen.missed, seen.refused)).toBeGreaterThan(5);
  });
});
