// PATCH of users with generated operations: a refusal is an error of the caller, and nothing changes that no operation names.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserAttributes } from '../../../src/accounts/provisioning/users.js';
import { patchedUser, readOperations } from '../../../src/api/scim/patch.js';
import { ScimError } from '../../../src/api/scim/scim-error.js';
import { ApiError } from '../../../src/errors.js';
import { patchSchema } from './provider.js';

const user: UserAttributes = {
  userName: 'ada@acme.example',
  externalId: '00u1',
  active: true,
  displayName: 'Ada',
  name: { formatted: 'Ada L', givenName: 'Ada', familyName: 'L' },
  emails: [
    { value: 'a@x.example', type: 'work', primary: true },
    { value: 'b@x.example', type: 'home' },
  ],
};

const names = ['userName', 'externalId', 'displayName', 'active', 'name', 'emails'] as const;
const parts = [
  'name.givenName',
  'emails.type',
  'emails.value',
  'emails[type eq "home"]',
  'emails[primary eq true].type',
];
const others = ['emails[type eq "other"].value', 'EMAILS[not (type pr)]', 'nickName', 'id', 'emails[', 'x', ''];

const simple = fc.constantFrom<unknown>(null, '', 'x', 'True', 'false', true, 0, 'c@x.example', '\uD800', 'a\0b');
const email = fc.record({ value: simple, type: simple, primary: simple }, { requiredKeys: [] });
const value = fc.oneof(
  simple,
  email,
  fc.array(fc.oneof(email, simple), { maxLength: 3 }),
  fc.record({ givenName: simple, familyName: simple, x: simple }, { requiredKeys: [] }),
);

const operation = fc.oneof(
  fc.record(
    {
      op: fc.constantFrom<unknown>('add', 'replace', 'remove', 'Replace', 'move', null),
      path: fc.constantFrom<unknown>(...names, ...parts, ...others, null, 5),
      value,
    },
    { requiredKeys: ['op', 'path'] },
  ),
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    value: fc.dictionary(fc.constantFrom(...names, ...parts, 'nickName'), value, { maxKeys: 2 }),
  }),
);

/** The attributes that an operation names, in lower case. */
function namedIn(sent: { path?: unknown; value?: unknown }): string[] {
  const paths = typeof sent.path === 'string' ? [sent.path] : Object.keys(Object(sent.value));
  return paths.map((path) => (path.split(/[.[]/)[0] ?? '').toLowerCase());
}

function outcomeOf(operations: object[]): UserAttributes | Error {
  try {
    return patchedUser(user, readOperations({ schemas: [patchSchema], Operations: operations }));
  } catch (error) {
    if (error instanceof ScimError || error instanceof ApiError) return error;
    throw error;
  }
}

describe('A PATCH of a user', () => {
  it('changes only what its operations name, or is refused with 400', () => {
    const seen = { changed: 0, refused: 0 };
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 3 }), (operations) => {
        const outcome = outcomeOf(operations);
        const isRefused = outcome instanceof Error;
        seen[isRefused ? 'refused' : 'changed']++;
        const after = isRefused ? user : outcome;
        const named = operations.flatMap(namedIn);
        const unnamed = names.filter((name) => !named.includes(name.toLowerCase()));
        expect(unnamed.map((name) => after[name])).toEqual(unnamed.map((name) => user[name]));
        expect(isRefused && 'status' in outcome ? outcome.status : 400).toBe(400);
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(seen.changed, seen.refused)).toBeGreaterThan(300);
  });

  it('leaves the emails that a filter does not select as they are', () => {
    fc.assert(
      fc.property(fc.constantFrom('add', 'replace', 'remove'), value, (op, given) => {
        const outcome = outcomeOf([{ op, path: 'emails[type eq "home"]', value: given }]);
        const kept = outcome instanceof Error ? user.emails : outcome.emails;
        const isMade = outcome instanceof Error ? false : outcome.emails?.[1]?.primary === true;
        expect(kept?.[0]).toEqual({ ...user.emails?.[0], primary: !isMade });
        expect(kept?.length).toBe(op === 'remove' ? 1 : 2);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, object, object | string]>([
    ['clears the name with null', { op: 'replace', path: 'name', value: null }, { name: undefined }],
    [
      'refuses two values for those that a filter selects',
      { op: 'replace', path: 'emails[type eq "home"]', value: [{ value: 'c@x.example' }, { value: 'd@x.example' }] },
      'invalidValue',
    ],
    [
      'adds the email that a filter describes',
      { op: 'add', path: 'emails[type eq "other"].value', value: 'c@x.example' },
      { emails: [...(user.emails ?? []), { value: 'c@x.example', type: 'other' }] },
    ],
    [
      'adds none that the filter would not select',
      { op: 'replace', path: 'emails[value eq "gone@x.example"].value', value: 'c@x.example' },
      'noTarget',
    ],
    [
      'adds none for a filter that selects nothing ever',
      { op: 'add', path: 'emails[type eq "other" and type eq "third"].value', value: 'c@x.example' },
      'noTarget',
    ],
    ['refuses no value for them', { op: 'add', path: 'emails[type eq "home"]', value: [] }, 'invalidValue'],
  ])('%s', (_what, sent, result) => {
    const outcome = outcomeOf([sent]);
    expect(outcome instanceof ScimError ? outcome.scimType : outcome).toEqual(
      typeof result === 'string' ? result : { ...user, ...result },
    );
  });
});
