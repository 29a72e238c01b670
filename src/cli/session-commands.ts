import { z } from 'zod';
import { listConsents, listSessions } from '../auth/grants/own-access.js';
import { endSessionsOf, revokeConsentOf } from '../accounts/access-of-users.js';
import { findPrincipal } from '../accounts/principals.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { principalName } from './inputs.js';
import { frameContext } from './operator/operator-context.js';

const user = described(principalName, 'EMAIL', 'Email address of the user.');

export const sessionCommands: Command[] = [
  defineCommand({
    name: 'sessions list',
    summary: 'List the browser sessions of a user.',
    input: z.object({ user }),
    run: async ({ db, now }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const sessions = await listSessions(db, principalId, now());
      print.table(['id', 'signedInAt', 'lastUsedAt', 'expiresAt', 'address', 'userAgent'], sessions);
    },
  }),
  defineCommand({
    name: 'sessions end',
    summary:
      'End one browser session of a user with the tokens of programs that it authorized, or all sessions and tokens of ' +
      'the user. API keys stay valid.',
    input: z.object({
      user,
      id: described(
        z.uuid('must be the id of a session').optional(),
        'ID',
        'Id of the session, from "sessions list". Default: all sessions.',
      ),
    }),
    run: async (admin, { user: name, id }, print) => {
      const { sessions, authorizations } = await endSessionsOf(await frameContext(admin), { user: name, id });
      if (id !== undefined) return print.done(`Ended the session of ${name}.`, { user: name, ended: '1' });
      const sentence = `Ended the sessions (${sessions}) and authorizations of programs (${authorizations}) of ${name}.`;
      print.done(sentence, { user: name, ended: String(sessions), authorizations: String(authorizations) });
    },
  }),
  defineCommand({
    name: 'consents list',
    summary: 'List the OAuth consents of a user.',
    input: z.object({ user }),
    run: async ({ db }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const consents = await listConsents(db, principalId);
      print.table(
        ['client', 'place', 'scope', 'givenAt', 'lastUsedAt'],
        consents.map(({ clientId, place, scopes, givenAt, lastUsedAt }) => ({
          client: clientId,
          place,
          scope: scopes.join(' '),
          givenAt,
          lastUsedAt: lastUsedAt ?? null,
        })),
      );
    },
  }),
  defineCommand({
    name: 'consents revoke',
    summary: 'Revoke the OAuth consent of a user to a client. The tokens of the client stop working within one second.',
    input: z.object({
      user,
      client: described(z.string().min(1), 'CLIENT', 'Name of the client, from "consents list".'),
    }),
    run: async (admin, { user: name, client }, print) => {
      await revokeConsentOf(await frameContext(admin), { user: name, clientId: client });
      print.done(`Revoked the consent of ${name} to ${client}.`, { user: name, client });
    },
  }),
];
