import { z } from 'zod';
import { rotationOverlapSecondsMax } from '../auth/api-key-expiry.js';
import type { IssuedApiKey } from '../auth/stored-api-key.js';
import type { StoredApiKey } from '../auth/stored-api-key.js';
import { isApiKey, prefixLength } from '../auth/api-key.js';
import type { RequestContext } from '../auth/context.js';
import { ApiError, notFound } from '../errors.js';
import { createApiKey, findApiKeys, listApiKeys, revokeApiKey, rotateApiKey } from '../accounts/api-keys.js';
import { listAll } from './operator/list-all.js';
import { frameContext } from './operator/operator-context.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { durationMs, keyExpiry, keyExpiryInput } from './expiry.js';
import { accountName, addressRangeList, apiKeyScopeList, grantInputs } from './inputs.js';
import { nameForPeople } from '../schema/text.js';
import { ownerAndTenant } from './owner-and-tenant.js';
import type { Print } from './print.js';

/** The option for the expiry of a key. @param standard the default. */
const expires = (standard: string) =>
  described(
    keyExpiry.optional(),
    'WHEN',
    `Expiry: a date (2027-01-31, its start in UTC), a duration from now (90d, 12h, 30m, 2w), or never. Default: ${standard}.`,
  );

const whichKey = described(z.string().min(1), 'KEY', 'Id or prefix of the key, from "keys list", or the key itself.');

const descendants = described(
  z.enum(['yes', 'no'], { error: 'must be yes or no' }).optional(),
  'YES',
  'Also revoke the keys that were created with this key, directly or indirectly: yes or no. Default: no.',
);

const overlap = described(
  z
    .union([z.literal('0').transform(() => 0), durationMs], {
      error: 'must be 0, or a duration such as 30m, 24h or 7d',
    })
    .optional(),
  'TIME',
  'Time that the old key still works: 0, or a duration such as 30m, 24h or 7d (at most 30d). Default: 24h.',
);

export const keyCommands: Command[] = [
  defineCommand({
    name: 'keys create',
    summary: 'Create an API key, and print it. It is shown only once.',
    input: z.object({
      ...grantInputs,
      name: described(z.string().trim().pipe(nameForPeople(63)), 'TEXT', 'Name of the key, such as its purpose.'),
      scope: described(
        apiKeyScopeList,
        'SCOPES',
        'Scopes of the key, in quotes, such as "agents:list metrics:read". admin allows everything that its owner can do.',
      ),
      addresses: described(
        addressRangeList.optional(),
        'RANGES',
        'Address ranges that can use the key, in quotes, such as "203.0.113.0/24 2001:db8::/48". Default: any.',
      ),
      expires: expires('API_KEY_DAYS_DEFAULT'),
    }),
    run: async (admin, input, print) => {
      const { scope: scopes, addresses: addressRanges, expires: _, ...named } = input;
      const key = { ...named, scopes, addressRanges, ...keyExpiryInput(admin, input.expires) };
      printSecret(print, 'Created', await createApiKey(await frameContext(admin), key));
    },
  }),
  defineCommand({
    name: 'keys list',
    summary: 'List API keys.',
    input: z.object({
      account: described(accountName.optional(), 'ACCOUNT', 'List only keys of this account. Default: all accounts.'),
    }),
    run: async (admin, { account }, print) => {
      const ctx = await frameContext(admin);
      const keys = await listAll((input) => listApiKeys(ctx, { ...input, account, isOfAll: true }));
      print.table(
        [
          ...(['name', 'prefix', 'owner', 'account', 'workspace', 'scope', 'addresses', 'createdAt'] as const),
          ...(['createdBy', 'createdWith', 'expiresAt', 'lastUsedAt', 'revokedAt', 'id'] as const),
        ],
        keys.map((key) => ({ ...key, ...ownerAndTenant(key), addresses: key.addressRanges.join(' ') })),
      );
    },
  }),
  defineCommand({
    name: 'keys rotate',
    summary: 'Replace an API key, and print the new one. The old key keeps working for a while.',
    argument: 'key',
    input: z.object({
      key: whichKey,
      overlap,
      expires: expires('when the old key would have expired; API_KEY_DAYS_DEFAULT if the old key never expires'),
    }),
    run: async (admin, input, print) => {
      const overlapSeconds = input.overlap === undefined ? undefined : input.overlap / 1000;
      if ((overlapSeconds ?? 0) > rotationOverlapSecondsMax) throw new UsageError('--overlap: must be at most 30d');
      const expiry = keyExpiryInput(admin, input.expires);
      const ctx = await frameContext(admin);
      const { id } = await requireKey(ctx, input.key);
      const { issued, previous } = await rotateApiKey(ctx, { id, overlapSeconds, ...expiry });
      const until = previous.expiresAt?.toISOString() ?? '';
      printSecret(print, `The old key ${previous.prefix}… works until ${until}. Created`, issued);
    },
  }),
  defineCommand({
    name: 'keys revoke',
    summary: 'Revoke an API key. It stops working within one second on every gateway.',
    argument: 'key',
    input: z.object({ key: whichKey, descendants }),
    run: async (admin, input, print) => {
      const ctx = await frameContext(admin);
      const { id, name, prefix } = await requireKey(ctx, input.key);
      const revoked = await revokeApiKey(ctx, { id, includeDescendants: input.descendants === 'yes' });
      const { revokedAt } = revoked.apiKey;
      const others = revoked.descendants.map((each) => `${each.prefix}… (${each.name})`).join(', ');
      const also = others === '' ? '' : ` Also revoked: ${others}.`;
      const sentence = `Revoked the API key ${prefix}… (${name}) as of ${revokedAt?.toISOString()}.${also}`;
      print.done(sentence, { id, name, prefix, revokedAt, ...(others !== '' && { descendants: others }) });
    },
  }),
];

/** A key by its id, its prefix, or the key itself. @throws 404; 409 `conflict` if several keys have the prefix. */
async function requireKey(ctx: RequestContext, which: string): Promise<StoredApiKey> {
  const prefix = isApiKey(which) ? which.slice(0, prefixLength) : which;
  const found = z.uuid().safeParse(which).success
    ? (await findApiKeys(ctx, [which])).filter((key) => key !== null)
    : (await listAll((input) => listApiKeys(ctx, { ...input, search: prefix, isOfAll: true }))).filter(
        (key) => key.prefix === prefix,
      );
  const [key, ...others] = found;
  if (key === undefined) throw notFound('API key', prefix);
  if (others.length === 0) return key;
  const ids = found.map(({ id }) => id).toSorted();
  throw new ApiError(
    'conflict',
    `Several API keys start with ${prefix}. Use the id of one of them: ${ids.join(', ')}.`,
  );
}

function printSecret(print: Print, done: string, { secret, stored }: IssuedApiKey): void {
  const { id, name, prefix, expiresAt, scope } = stored;
  const end = expiresAt === null ? 'It does not expire.' : `It expires at ${expiresAt.toISOString()}.`;
  const note = `${done} the API key ${prefix}… (${id}). ${end} Save it now. It is not shown again.`;
  print.secret(note, { key: secret }, { id, name, prefix, scope, expiresAt });
}
