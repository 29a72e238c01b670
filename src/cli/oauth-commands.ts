import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  createClient,
  deleteClient,
  listClients,
  revokeClient,
  rotateClientSecret,
  updateClient,
} from './operator/all-clients.js';
import { passwordLengthMin } from '../auth/sign-in/password.js';
import { setPassword } from './operator/passwords.js';
import { findGrant } from './operator/all-members.js';
import { displayName, resourceName } from '../schema/resource.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { durationMs } from './expiry.js';
import { accountName, clientScopeList, principalName, storedName, workspaceName } from './inputs.js';

const grantTypes = z.enum(['authorization_code', 'client_credentials', 'refresh_token', 'device_code'], {
  error: 'must name grants: authorization_code, client_credentials, refresh_token, device_code',
});

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

const existingClient = described(z.string().min(1), 'NAME', 'Which client, as "clients list" shows it.');

const owner = {
  owner: described(principalName.optional(), 'PRINCIPAL', 'As whom it acts with client_credentials, with their roles.'),
  account: described(accountName.optional(), 'ACCOUNT', 'The account to which that is confined.'),
  workspace: described(workspaceName.optional(), 'WORKSPACE', 'Confine it to this workspace of the account.'),
};

export const oauthCommands: Command[] = [
  defineCommand({
    name: 'clients create',
    summary: 'Register an OAuth client, and print its secret: this is the only time that it can be seen.',
    argument: 'name',
    input: z
      .object({
        name: described(resourceName, 'NAME', 'Its client_id: lowercase letters, digits and hyphens; unique.'),
        displayName: described(displayName.optional(), 'TEXT', 'What users see when they are asked; NAME by default.'),
        type: described(
          z.enum(['confidential', 'public'], { error: 'must be confidential or public' }).optional(),
          'TYPE',
          'confidential, with a secret, by default; or public, for programs in a browser or on a user’s machine.',
        ),
        grants: described(
          z.string().transform(words).pipe(z.array(grantTypes).min(1)),
          'GRANTS',
          'What it may trade for tokens, in quotes: authorization_code, refresh_token, client_credentials, device_code.',
        ),
        redirectUris: described(
          z.string().transform(words).optional(),
          'ADDRESSES',
          'Where users are sent back to, in quotes, separated by spaces.',
        ),
        scope: described(
          clientScopeList,
          'SCOPES',
          'What it may ask for, in quotes, such as "agents:list agents:get".',
        ),
        ...owner,
      })
      .refine((input) => (input.owner === undefined) === (input.account === undefined), {
        error: 'needs --owner and --account together',
      }),
    run: async ({ db, now }, input, print) => {
      const { name, type = 'confidential', grants, redirectUris = [], account } = input;
      const grant =
        input.owner === undefined || account === undefined
          ? undefined
          : await findGrant(db, { ...input, owner: input.owner, account });
      const scope = input.scope.join(' ');
      const client = { id: name, displayName: input.displayName ?? name, isPublic: type === 'public' };
      const asked = { ...client, grantTypes: grants, redirectUris, scope, owner: grant };
      const { secret } = await createClient(db, asked, now());
      const record = { clientId: name, type, grants: grants.join(' '), redirectUris: redirectUris.join(' '), scope };
      if (secret === undefined) print.done(`Created the public client ${name}.`, record);
      else print.secret(`Created the client ${name}. Keep its secret now: it is not shown again.`, { secret }, record);
    },
  }),
  defineCommand({
    name: 'clients list',
    summary: 'List the OAuth clients.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const clients = await listClients(db);
      print.table(
        ['name', 'displayName', 'type', 'grants', 'redirectUris', 'scope', 'owner', 'place', 'createdAt', 'revokedAt'],
        clients.map((client) => ({
          ...client,
          name: client.id,
          type: client.isPublic ? 'public' : 'confidential',
          grants: client.grantTypes.join(' '),
          redirectUris: client.redirectUris.join(' '),
          owner: client.principal?.name ?? null,
          place: client.workspace?.name ?? client.account?.name ?? null,
        })),
      );
    },
  }),
  defineCommand({
    name: 'clients rotate-secret',
    summary: 'Give a client a new secret, and print it. Its tokens stay valid.',
    argument: 'name',
    input: z.object({
      name: existingClient,
      overlap: described(
        durationMs.optional(),
        'TIME',
        'How long the old secret works beside the new one, such as 24h; it stops at once by default.',
      ),
    }),
    run: async ({ db, now }, { name, overlap = 0 }, print) => {
      const { secret } = await rotateClientSecret(db, name, overlap, now());
      const note = `The client ${name} has a new secret. Keep it now: it is not shown again.`;
      print.secret(note, { secret }, { clientId: name });
    },
  }),
  defineCommand({
    name: 'clients revoke',
    summary: 'Revoke a client with all of its tokens. They stop working within one second, on every gateway.',
    argument: 'name',
    input: z.object({ name: existingClient }),
    run: async ({ db, now }, { name }, print) => {
      const { revokedAt } = await revokeClient(db, name, now());
      print.done(`Revoked the client ${name} as of ${revokedAt.toISOString()}.`, { clientId: name, revokedAt });
    },
  }),
  defineCommand({
    name: 'clients update',
    summary: 'Change what users see of a client, where it may send them, and what it may ask for.',
    argument: 'name',
    input: z.object({
      name: existingClient,
      displayName: described(displayName.optional(), 'TEXT', 'What users see when they are asked.'),
      redirectUris: described(
        z.string().transform(words).optional(),
        'ADDRESSES',
        'Where users are sent back to, in quotes, separated by spaces: all of them.',
      ),
      scope: described(clientScopeList.optional(), 'SCOPES', 'What it may ask for, in quotes: all of it.'),
    }),
    run: async ({ db, now }, { name, scope, ...changes }, print) => {
      await updateClient(db, name, { ...changes, scope: scope?.join(' ') }, now());
      print.done(`Changed the client ${name}.`, { clientId: name });
    },
  }),
  defineCommand({
    name: 'clients delete',
    summary: 'Remove a client with all of its tokens. Its name is free again.',
    argument: 'name',
    input: z.object({ name: existingClient }),
    run: async ({ db, now }, { name }, print) => {
      await deleteClient(db, name, now());
      print.done(`Removed the client ${name}.`, { clientId: name });
    },
  }),
  defineCommand({
    name: 'users set-password',
    summary:
      'Give a user a password to sign in with. Their sessions in browsers end, and what they allowed to programs.',
    argument: 'email',
    input: z.object({
      email: described(storedName, 'EMAIL', 'Which user.'),
      file: described(
        z.string().min(1).optional(),
        'FILE',
        `Its first line is the password, of at least ${passwordLengthMin} characters. Without it one is made and printed.`,
      ),
    }),
    run: async ({ db, now, folder }, { email, file }, print) => {
      const password = file === undefined ? randomBytes(15).toString('base64url') : await firstLine(folder, file);
      await setPassword(db, email, password, now());
      if (file !== undefined) print.done(`${email} has a new password.`, { email });
      else print.secret(`${email} has a new password. It is not shown again.`, { password }, { email });
    },
  }),
];

async function firstLine(folder: string, file: string): Promise<string> {
  try {
    return (await readFile(resolve(folder, file), 'utf8')).split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}
