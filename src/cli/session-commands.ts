import { z } from 'zod';
import { endSessions, listConsents, listSessions, withdrawConsent } from '../auth/grants/own-access.js';
import { notFound } from '../errors.js';
import { findPrincipal } from './operator/all-principals.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { principalName } from './inputs.js';

const user = described(principalName, 'EMAIL', 'Whose.');

export const sessionCommands: Command[] = [
  defineCommand({
    name: 'sessions list',
    summary: 'List the browsers in which a user is signed in.',
    input: z.object({ user }),
    run: async ({ db, now }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const sessions = await listSessions(db, principalId, now());
      print.table(['id', 'signedInAt', 'lastUsedAt', 'expiresAt', 'address', 'userAgent'], sessions);
    },
  }),
  defineCommand({
    name: 'sessions end',
    summary: 'Sign a user out: of one browser, or of all of them.',
    input: z.object({
      user,
      id: described(
        z.uuid('is no id of a session').optional(),
        'ID',
        'Which one, as "sessions list" shows it; else all.',
      ),
    }),
    run: async ({ db }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const { id } = input;
      const ended = await endSessions(db, principalId, id === undefined ? { except: undefined } : { id });
      if (id !== undefined && ended === 0) throw notFound('session', id);
      print.done(`Ended ${ended} sessions of ${input.user}.`, { user: input.user, ended: String(ended) });
    },
  }),
  defineCommand({
    name: 'consents list',
    summary: 'List what a user let programs do.',
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
    name: 'consents withdraw',
    summary: 'Take back what a user let a program do: its tokens end within one second, and it has to ask again.',
    input: z.object({
      user,
      client: described(z.string().min(1), 'CLIENT', 'Which program, as "consents list" shows it.'),
    }),
    run: async ({ db, now }, input, print) => {
      const { id: principalId } = await findPrincipal(db, input.user);
      const { client } = input;
      const which = { principalId, clientId: client };
      const isWithdrawn = await db.$transaction((tx) => withdrawConsent(tx, which, now()));
      if (!isWithdrawn) throw notFound('consent to the client', client);
      print.done(`Took back what ${input.user} let ${client} do.`, { user: input.user, client });
    },
  }),
];
