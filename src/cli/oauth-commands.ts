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
} from '../accounts/oauth-clients.js';
import { utf8Text } from '../input/utf8.js';
import { passwordLengthMin } from '../auth/sign-in/password.js';
import { setUserPassword } from '../accounts/user-changes.js';
import { listAll } from './operator/list-all.js';
import { frameContext } from './operator/operator-context.js';
import { displayName, resourceName } from '../schema/resource.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { durationMs } from './expiry.js';
import { accountName, clientScopeList, principalName, storedName, workspaceName } from './inputs.js';
import { wordsIn } from '../config/setting-forms.js';

const grantTypes = z.enum(['authorization_code', 'client_credentials', 'refresh_token', 'device_code'], {
  error: 'must be grants: authorization_code, client_credentials, refresh_token, device_code',
});

/** A URI can contain commas. */
const uris = (text: string) => text.split(/\s+/).filter((uri) => uri !== '');

const existingClient = described(z.string().min(1), 'NAME', 'Name of the client, from "clients list".');

const owner = {
  owner: described(
    principalName.optional(),
    'PRINCIPAL',
    'User or service account that the client acts as with client_credentials.',
  ),
  account: described(
    accountName.optional(),
    'ACCOUNT',
    'Account that client_credentials are restricted to. Required with --owner.',
  ),
  workspace: described(
    workspaceName.optional(),
    'WORKSPACE',
    'Workspace that client_credentials are restricted to. Default: the whole account.',
  ),
};

export const oauthCommands: Command[] = [
  defineCommand({
    name: 'clients create',
    summary: 'Create an OAuth client, and print its secret. The secret is shown only once.',
    argument: 'name',
    input: z
      .object({
        name: described(resourceName, 'NAME', 'Unique client_id: lowercase letters, digits and hyphens.'),
        displayName: described(displayName.optional(), 'TEXT', 'Name on the consent page. Default: NAME.'),
        type: described(
          z.enum(['confidential', 'public'], { error: 'must be confidential or public' }).optional(),
          'TYPE',
          'confidential (with a secret), or public (for programs in a browser or on a user’s machine). Default: confidential.',
        ),
        grants: described(
          z.string().transform(wordsIn).pipe(z.array(grantTypes).min(1)),
          'GRANTS',
          'Allowed grants, in quotes: authorization_code, refresh_token, client_credentials, device_code.',
        ),
        redirectUris: described(
          z.string().transform(uris).optional(),
          'ADDRESSES',
          'Redirect URIs, in quotes, separated by spaces.',
        ),
        scope: described(
          clientScopeList,
          'SCOPES',
          'Scopes that the client can request, in quotes, such as "agents:list agents:get".',
        ),
        ...owner,
      })
      .refine((input) => (input.owner === undefined) === (input.account === undefined), {
        error: 'requires --owner and --account together',
      }),
    run: async (admin, input, print) => {
      const { scope: scopes, type = 'confidential', ...properties } = input;
      const { name, grants, redirectUris = [] } = properties;
      const isPublic = type === 'public';
      const { secret } = await createClient(await frameContext(admin), { ...properties, scopes, isPublic });
      const scope = scopes.join(' ');
      const record = { clientId: name, type, grants: grants.join(' '), redirectUris: redirectUris.join(' '), scope };
      if (isPublic) print.done(`Created the public client ${name}.`, record);
      else print.secret(`Created the client ${name}. Save its secret now. It is not shown again.`, { secret }, record);
    },
  }),
  defineCommand({
    name: 'clients list',
    summary: 'List OAuth clients.',
    input: z.object({}),
    run: async (admin, _input, print) => {
      const ctx = await frameContext(admin);
      const byName = { field: 'name', direction: 'asc' } as const;
      const clients = await listAll((input) => listClients(ctx, { ...input, isOfAll: true }), byName);
      print.table(
        ['name', 'displayName', 'type', 'grants', 'redirectUris', 'scope', 'owner', 'place', 'createdAt', 'revokedAt'],
        clients.map((client) => ({
          ...client,
          name: client.id,
          type: client.selfRegistered ? 'self-registered' : client.isPublic ? 'public' : 'confidential',
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
    summary: 'Replace the secret of an OAuth client, and print the new one. Its tokens stay valid.',
    argument: 'name',
    input: z.object({
      name: existingClient,
      overlap: described(
        durationMs.optional(),
        'TIME',
        'Time that the old secret still works, such as 24h. Default: 0.',
      ),
    }),
    run: async (admin, { name, overlap = 0 }, print) => {
      const rotation = { name, overlapSeconds: overlap / 1000 };
      const { secret } = await rotateClientSecret(await frameContext(admin), rotation);
      const note = `Rotated the secret of the client ${name}. Save it now. It is not shown again.`;
      print.secret(note, { secret }, { clientId: name });
    },
  }),
  defineCommand({
    name: 'clients revoke',
    summary: 'Revoke an OAuth client and its tokens. They stop working within one second on every gateway.',
    argument: 'name',
    input: z.object({ name: existingClient }),
    run: async (admin, { name }, print) => {
      const { revokedAt } = await revokeClient(await frameContext(admin), { name });
      print.done(`Revoked the client ${name} as of ${revokedAt?.toISOString()}.`, { clientId: name, revokedAt });
    },
  }),
  defineCommand({
    name: 'clients update',
    summary: 'Update the display name, redirect URIs or scopes of an OAuth client.',
    argument: 'name',
    input: z.object({
      name: existingClient,
      displayName: described(displayName.optional(), 'TEXT', 'Name on the consent page.'),
      redirectUris: described(
        z.string().transform(uris).optional(),
        'ADDRESSES',
        'Redirect URIs, in quotes, separated by spaces. They replace the current ones.',
      ),
      scope: described(
        clientScopeList.optional(),
        'SCOPES',
        'Scopes that the client can request, in quotes. They replace the current ones.',
      ),
    }),
    run: async (admin, { name, scope: scopes, ...changes }, print) => {
      await updateClient(await frameContext(admin), { name, scopes, ...changes });
      print.done(`Updated the client ${name}.`, { clientId: name });
    },
  }),
  defineCommand({
    name: 'clients delete',
    summary: 'Delete an OAuth client and its tokens.',
    argument: 'name',
    input: z.object({ name: existingClient }),
    run: async (admin, { name }, print) => {
      await deleteClient(await frameContext(admin), { name });
      print.done(`Deleted the client ${name}.`, { clientId: name });
    },
  }),
  defineCommand({
    name: 'users set-password',
    summary: 'Set the password of a user. Their browser sessions and OAuth consents end.',
    argument: 'email',
    input: z.object({
      email: described(storedName, 'EMAIL', 'Email address of the user.'),
      file: described(
        z.string().min(1).optional(),
        'FILE',
        `File whose first line is the password (at least ${passwordLengthMin} characters). Default: a generated password, which is printed.`,
      ),
    }),
    run: async (admin, { email, file }, print) => {
      const password = file === undefined ? randomBytes(15).toString('base64url') : await firstLine(admin.folder, file);
      await setUserPassword(await frameContext(admin), { name: email, password });
      if (file !== undefined) print.done(`Set the password of ${email}.`, { email });
      else print.secret(`Set the password of ${email}. Save it now. It is not shown again.`, { password }, { email });
    },
  }),
];

async function firstLine(folder: string, file: string): Promise<string> {
  try {
    return utf8Text(await readFile(resolve(folder, file))).split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}
