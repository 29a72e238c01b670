import { z } from 'zod';
import { endAllSessions, endSession, listConsents, listSessions, withdrawConsent } from '../auth/grants/own-access.js';
import { notFound } from '../errors.js';
import { findPrincipal } from '../accounts/principals.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { principalName } from './inputs.js';

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
    run: async ({ db, now }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const { id } = input;
      if (id !== undefined) {
        const isEnded = await db.$transaction((tx) => endSession(tx, principalId, id, now()));
        if (!isEnded) throw notFound('session', id);
        return print.done(`Ended the session of ${input.user}.`, { user: input.user, ended: '1' });
      }
      const ended = await db.$transaction((tx) => endAllSessions(tx, principalId, undefined, now()));
      const { sessions, authorizations } = ended;
      const sentence = `Ended the sessions (${sessions}) and authorizations of programs (${authorizations}) of ${input.user}.`;
      print.done(sentence, { user: input.user, ended: String(sessions), authorizations: String(authorizations) });
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
    run: async ({ db, now }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const { client } = input;
      const which = { principalId, clientId: client };
      const isWithdrawn = await db.$transaction((tx) => withdrawConsent(tx, which, now()));
      if (!isWithdrawn) throw notFound('consent to the client', client);
      print.done(`Revoked the consent of ${input.user} to ${client}.`, { user: input.user, client });
    },
  }),
];
