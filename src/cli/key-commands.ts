import { z } from 'zod';
import { apiKeyExpiry, rotationOverlapSecondsDefault, rotationOverlapSecondsMax } from '../auth/api-key-expiry.js';
import type { IssuedApiKey } from '../auth/stored-api-key.js';
import { findAccount } from './operator/all-accounts.js';
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './operator/all-api-keys.js';
import { findGrant } from './operator/all-members.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Admin, Command } from './command.js';
import { durationMs, expiry, expiryTime } from './expiry.js';
import { accountName, addressRangeList, grantInputs, scopeList } from './inputs.js';
import { nameForPeople } from '../schema/text.js';
import { ownerAndPlace } from './owner-and-place.js';
import type { Print } from './print.js';

const expires = described(
  z.union([z.literal('never'), expiry], { error: 'must be a date, a time from now such as 90d, or never' }).optional(),
  'WHEN',
  'A date (2027-01-31, its start in UTC), a time from now (90d, 12h, 30m, 2w), or never; API_KEY_DAYS_DEFAULT by default.',
);

const whichKey = described(z.string().min(1), 'KEY', 'Its id or prefix as "keys list" shows them, or the key itself.');

const descendants = described(
  z.enum(['yes', 'no'], { error: 'must be yes or no' }).optional(),
  'YES',
  'yes: also revokes the keys that were created with it, with those keys, and so on; no by default.',
);

const overlap = described(
  z
    .union([z.literal('0').transform(() => 0), durationMs], { error: 'must be 0, or a time such as 30m, 24h or 7d' })
    .optional(),
  'TIME',
  'How long the old key works beside the new one: 0, 30m, 24h, 7d; a day by default.',
);

export const keyCommands: Command[] = [
  defineCommand({
    name: 'keys create',
    summary: 'Create an API key, and print it: this is the only time that it can be seen.',
    input: z.object({
      ...grantInputs,
      name: described(z.string().trim().pipe(nameForPeople(63)), 'TEXT', 'What it is for.'),
      scope: described(
        scopeList,
        'SCOPES',
        'What it may do: scopes in quotes, such as "agents:list metrics:read"; admin for all that its owner may.',
      ),
      addresses: described(
        addressRangeList.optional(),
        'RANGES',
        'From where it works, in quotes, such as "203.0.113.0/24 2001:db8::/48"; from anywhere by default.',
      ),
      expires,
    }),
    run: async (admin, input, print) => {
      const { name, scope: scopes, addresses: addressRanges = [] } = input;
      const expiresAt = expiryOf(admin, input.expires);
      const grant = await findGrant(admin.db, input);
      const key = { name, scopes, addressRanges, expiresAt, createdBy: null, createdWith: null, parentId: null };
      printSecret(print, 'Created', await createApiKey(admin.db, grant, key, admin.now()));
    },
  }),
  defineCommand({
    name: 'keys list',
    summary: 'List the API keys.',
    input: z.object({ account: described(accountName.optional(), 'ACCOUNT', 'Only those of this account.') }),
    run: async ({ db }, input, print) => {
      const accountId = input.account === undefined ? undefined : (await findAccount(db, input.account)).id;
      const keys = await listApiKeys(db, accountId);
      print.table(
        [
          ...(['name', 'prefix', 'owner', 'account', 'workspace', 'scope', 'addresses', 'createdAt'] as const),
          ...(['createdBy', 'createdWith', 'expiresAt', 'lastUsedAt', 'revokedAt', 'id'] as const),
        ],
        keys.map((key) => ({ ...key, ...ownerAndPlace(key), addresses: key.addressRanges.join(' ') })),
      );
    },
  }),
  defineCommand({
    name: 'keys rotate',
    summary: 'Create a key like another one, and print it. Both work for a while, then the old one ends.',
    argument: 'key',
    input: z.object({ key: whichKey, overlap, expires }),
    run: async (admin, input, print) => {
      const overlapSeconds = input.overlap === undefined ? rotationOverlapSecondsDefault : input.overlap / 1000;
      if (overlapSeconds > rotationOverlapSecondsMax) throw new UsageError('--overlap: must be at most 30d');
      const expiresAt = expiryOf(admin, input.expires);
      const key = await findApiKey(admin.db, input.key);
      const { issued, previous } = await rotateApiKey(admin.db, key, { expiresAt, overlapSeconds }, admin.now());
      const until = previous.expiresAt?.toISOString() ?? '';
      printSecret(print, `The old key ${previous.prefix}… works until ${until}. Created`, issued);
    },
  }),
  defineCommand({
    name: 'keys revoke',
    summary: 'Revoke an API key. It stops working within one second, on every gateway of this database.',
    argument: 'key',
    input: z.object({ key: whichKey, descendants }),
    run: async ({ db, now }, input, print) => {
      const key = await findApiKey(db, input.key);
      const { id, name, prefix } = key;
      const revoked = await revokeApiKey(db, key, input.descendants === 'yes', now());
      const { revokedAt } = revoked;
      const others = revoked.descendants.map((each) => `${each.prefix}… (${each.name})`).join(', ');
      const also = others === '' ? '' : ` Also revoked: ${others}.`;
      const sentence = `Revoked the API key ${prefix}… (${name}) as of ${revokedAt.toISOString()}.${also}`;
      print.done(sentence, { id, name, prefix, revokedAt, ...(others !== '' && { descendants: others }) });
    },
  }),
];

function expiryOf({ apiKeyLife, now }: Admin, given: z.output<typeof expires>): Date | null {
  const time = given === undefined || given === 'never' ? null : expiryTime(given, now());
  if (time === undefined) throw new UsageError('--expires: must lie in the future');
  return apiKeyExpiry(apiKeyLife, given === undefined ? undefined : time, now(), '--expires:');
}

function printSecret(print: Print, done: string, { secret, stored }: IssuedApiKey): void {
  const { id, name, prefix, expiresAt, scope } = stored;
  const end = expiresAt === null ? 'It does not expire.' : `It expires at ${expiresAt.toISOString()}.`;
  const note = `${done} the API key ${prefix}… (${id}). ${end} Keep it now: it is not shown again.`;
  print.secret(note, { key: secret }, { id, name, prefix, scope, expiresAt });
}
