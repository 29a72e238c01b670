import { z } from 'zod';
import { issueAccessToken } from '../auth/access-token.js';
import { listAccessTokens, revokeAccessToken } from './operator/all-access-tokens.js';
import { rotateSigningKey } from '../auth/signing-keys.js';
import { findGrant } from './operator/all-members.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { ownerAndPlace } from './owner-and-place.js';
import { grantInputs, scopeList } from './inputs.js';

export const credentialCommands: Command[] = [
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
