import { z } from 'zod';
import { issueTokenFor } from '../accounts/access-of-users.js';
import { listAccessTokens, revokeAccessToken } from '../accounts/access-tokens.js';
import { rotateSigningKey } from '../auth/signing-keys.js';
import { listAll } from './operator/list-all.js';
import { frameContext } from './operator/operator-context.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { ownerAndTenant } from './owner-and-tenant.js';
import { grantInputs, scopeList } from './inputs.js';

export const credentialCommands: Command[] = [
  defineCommand({
    name: 'tokens create',
    summary: 'Issue an access token that is valid for 15 minutes, and print it. Its issuer follows from PUBLIC_URL.',
    input: z.object({
      ...grantInputs,
      scope: described(scopeList, 'SCOPES', 'Scopes of the token, in quotes, such as "agents:list agents:get".'),
    }),
    run: async (admin, input, print) => {
      const scope = input.scope.join(' ');
      const granted = { ...input, scope };
      const { token, id, expiresAt } = await issueTokenFor(await frameContext(admin), admin.tokens, granted);
      print.secret(
        `Issued the access token ${id}. It expires at ${expiresAt.toISOString()}.`,
        { token },
        { id, scope, expiresAt },
      );
    },
  }),
  defineCommand({
    name: 'tokens list',
    summary: 'List access tokens that have not expired.',
    input: z.object({}),
    run: async (admin, _input, print) => {
      const ctx = await frameContext(admin);
      const tokens = await listAll((input) => listAccessTokens(ctx, input));
      print.table(
        ['id', 'owner', 'account', 'workspace', 'scope', 'issuedAt', 'expiresAt', 'revokedAt'],
        tokens.map((token) => ({ ...token, ...ownerAndTenant(token) })),
      );
    },
  }),
  defineCommand({
    name: 'tokens revoke',
    summary: 'Revoke an access token. It stops working within one second on every gateway.',
    argument: 'id',
    input: z.object({ id: described(z.string().min(1), 'ID', 'Id of the token, from "tokens list".') }),
    run: async (admin, { id }, print) => {
      const { revokedAt } = await revokeAccessToken(await frameContext(admin), { id });
      print.done(`Revoked the access token ${id} as of ${revokedAt?.toISOString()}.`, { id, revokedAt });
    },
  }),
  defineCommand({
    name: 'signing-keys rotate',
    summary: 'Replace the key that signs access tokens. Existing tokens stay valid until they expire.',
    input: z.object({}),
    run: async ({ db, encryption, now }, _input, print) => {
      const { kid } = await rotateSigningKey(db, encryption, now());
      print.done(`Rotated the signing key. The new key is ${kid}.`, { kid });
    },
  }),
  defineCommand({
    name: 'signing-keys list',
    summary: 'List current and retired signing keys of access tokens.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const keys = await db.signingKey.findMany({ orderBy: [{ createdAt: 'asc' }, { kid: 'asc' }] });
      print.table(['kid', 'createdAt', 'retiredAt'], keys);
    },
  }),
];
