import { z } from 'zod';
import { issueAccessToken } from '../access/access-token.js';
import { listAccessTokens, revokeAccessToken } from '../access/access-tokens.js';
import { issueApiKey, listApiKeys, revokeApiKey } from '../access/api-keys.js';
import { rotateSigningKey } from '../access/signing-keys.js';
import { findAccount } from '../resources/accounts/accounts.js';
import { findGrant } from '../resources/accounts/members.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { expiry, expiryTime } from './expiry.js';
import { accountName, grantInputs, scopeList } from './inputs.js';

export const credentialCommands: Command[] = [
  defineCommand({
    name: 'keys create',
    summary: 'Create an API key, and print it: this is the only time that it can be seen.',
    input: z.object({
      ...grantInputs,
      name: described(z.string().trim().min(1).max(63), 'TEXT', 'What it is for.'),
      expires: described(
        expiry.optional(),
        'WHEN',
        'A date (2027-01-31, its start in UTC), or a time from now (90d, 12h, 30m, 2w); never by default.',
      ),
    }),
    run: async ({ db, now }, input, print) => {
      const expiresAt = input.expires === undefined ? null : expiryTime(input.expires, now());
      if (expiresAt === undefined) throw new UsageError('--expires: must lie in the future');
      const { name } = input;
      const { key, id, prefix } = await issueApiKey(db, await findGrant(db, input), { name, expiresAt });
      const end = expiresAt === null ? 'It does not expire.' : `It expires at ${expiresAt.toISOString()}.`;
      print.secret(
        `Created the API key ${prefix}… (${id}). ${end} Keep it now: it is not shown again.`,
        { key },
        { id, name, prefix, expiresAt },
      );
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
        ['name', 'prefix', 'owner', 'account', 'workspace', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt', 'id'],
        keys.map((key) => ({ ...key, ...ownerAndPlace(key) })),
      );
    },
  }),
  defineCommand({
    name: 'keys revoke',
    summary: 'Revoke an API key. It stops working within one second, on every gateway of this database.',
    argument: 'key',
    input: z.object({
      key: described(z.string().min(1), 'KEY', 'Its id or prefix as "keys list" shows them, or the key itself.'),
    }),
    run: async ({ db, now }, input, print) => {
      const { id, name, prefix, revokedAt } = await revokeApiKey(db, input.key, now());
      print.done(`Revoked the API key ${prefix}… (${name}) as of ${revokedAt.toISOString()}.`, {
        id,
        name,
        prefix,
        revokedAt,
      });
    },
  }),
  defineCommand({
    name: 'tokens create',
    summary: 'Issue an access token for 15 minutes, and print it. Its issuer is that of the settings in force here.',
    input: z.object({
      ...grantInputs,
      scope: described(scopeList, 'SCOPES', 'What it may do: scopes in quotes, such as "agents:list agents:get".'),
    }),
    run: async ({ db, seal, now, tokens }, input, print) => {
      const scope = input.scope.join(' ');
      const grant = { ...(await findGrant(db, input)), scope, clientId: 'admin', now: now() };
      const { token, id, expiresAt } = await issueAccessToken(db, seal, tokens, grant);
      print.secret(
        `Issued the access token ${id}. It expires at ${expiresAt.toISOString()}.`,
        { token },
        { id, scope, expiresAt },
      );
    },
  }),
  defineCommand({
    name: 'tokens list',
    summary: 'List the access tokens that have not expired.',
    input: z.object({}),
    run: async ({ db, now }, _input, print) => {
      const tokens = await listAccessTokens(db, now());
      print.table(
        ['id', 'owner', 'account', 'workspace', 'scope', 'issuedAt', 'expiresAt', 'revokedAt'],
        tokens.map((token) => ({ ...token, ...ownerAndPlace(token) })),
      );
    },
  }),
  defineCommand({
    name: 'tokens revoke',
    summary: 'Revoke an access token. It stops working within one second, on every gateway of this database.',
    argument: 'id',
    input: z.object({ id: described(z.string().min(1), 'ID', 'Its id, as "tokens list" shows it.') }),
    run: async ({ db, now }, { id }, print) => {
      const { revokedAt } = await revokeAccessToken(db, id, now());
      print.done(`Revoked the access token ${id} as of ${revokedAt.toISOString()}.`, { id, revokedAt });
    },
  }),
  defineCommand({
    name: 'signing-keys rotate',
    summary: 'Make a new key sign access tokens. Those that the old one signed stay valid until they expire.',
    input: z.object({}),
    run: async ({ db, seal, now }, _input, print) => {
      const { kid } = await rotateSigningKey(db, seal, now());
      print.done(`The signing key is now ${kid}.`, { kid });
    },
  }),
  defineCommand({
    name: 'signing-keys list',
    summary: 'List the keys that sign, or signed, access tokens.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const keys = await db.signingKey.findMany({ orderBy: [{ createdAt: 'asc' }, { kid: 'asc' }] });
      print.table(['kid', 'createdAt', 'retiredAt'], keys);
    },
  }),
];

interface Owned {
  principal: { name: string };
  account: { name: string };
  workspace: { name: string } | null;
}

function ownerAndPlace(credential: Owned): { owner: string; account: string; workspace: string | null } {
  const { principal, account, workspace } = credential;
  return { owner: principal.name, account: account.name, workspace: workspace?.name ?? null };
}
