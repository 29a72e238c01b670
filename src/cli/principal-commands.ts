import { z } from 'zod';
import { readPrincipals, requirePrincipal } from '../accounts/principals.js';
import type { PrincipalKind } from '../accounts/principals.js';
import { createPrincipal, deletePrincipal, setPrincipalDisabled, updatePrincipal } from '../accounts/user-changes.js';
import { endAccess } from '../accounts/access-end.js';
import type { Role } from '../auth/caller.js';
import { listCreated } from '../accounts/created-resources.js';
import { frameContext, operatorContext, platformContext } from './operator/operator-context.js';
import { displayName, resourceName } from '../schema/resource.js';
import { defineCommand, described, dryRunDescription, switchInput } from './command.js';
import type { Command } from './command.js';
import { accountName, role, storedName, workspaceName } from './inputs.js';

const placementInputs = {
  displayName: described(displayName.optional(), 'TEXT', 'Display name.'),
  account: described(accountName.optional(), 'ACCOUNT', 'Account to add them to as a member.'),
  role: described(role.optional(), 'ROLE', 'Role in the account: admin, member or viewer. Default: member.'),
  workspace: described(
    workspaceName.optional(),
    'WORKSPACE',
    'Workspace to add them to as a member. They also become a member of its account.',
  ),
  workspaceRole: described(role.optional(), 'ROLE', 'Role in the workspace: admin, member or viewer. Default: member.'),
};

interface PrincipalNoun {
  kind: PrincipalKind;
  /** The first word of its commands. */
  group: string;
  label: string;
  /** The schema of new names. */
  name: z.ZodType<string, string>;
}

const principalKinds: PrincipalNoun[] = [
  {
    kind: 'user',
    group: 'users',
    label: 'user',
    name: described(
      storedName.pipe(z.email('must be an email address')),
      'EMAIL',
      'Email address. It is stored in lower case.',
    ),
  },
  {
    kind: 'service_account',
    group: 'service-accounts',
    label: 'service account',
    name: described(resourceName, 'NAME', 'Unique name: lowercase letters, digits and hyphens.'),
  },
];

export const principalCommands: Command[] = principalKinds.flatMap(({ kind, group, label, name }) => {
  const existing = described(
    storedName,
    kind === 'user' ? 'EMAIL' : 'NAME',
    `${kind === 'user' ? 'Email address' : 'Name'} of the ${label}.`,
  );
  return [
    defineCommand({
      name: `${group} create`,
      summary: `Create a ${label}, and optionally add it to an account or workspace.`,
      argument: 'name',
      input: z
        .object({ name, ...placementInputs })
        .refine((input) => input.role === undefined || input.account !== undefined, {
          error: '--role requires --account',
        })
        .refine((input) => input.workspaceRole === undefined || input.workspace !== undefined, {
          error: '--workspace-role requires --workspace',
        }),
      run: async (admin, input, print) => {
        const { id, name: created, displayName } = await createPrincipal(await frameContext(admin), { ...input, kind });
        print.done(`Created the ${label} ${created}.`, { id, name: created, displayName });
      },
    }),
    defineCommand({
      name: `${group} list`,
      summary: `List ${label}s and their roles.`,
      input: z.object({}),
      run: async ({ db }, _input, print) => {
        const principals = await readPrincipals(db, { kind });
        print.table(
          ['name', 'displayName', 'accounts', 'workspaces', 'createdAt', 'disabledAt', 'id'],
          principals.map(({ memberships, ...principal }) => ({
            ...principal,
            accounts: rolesText(
              memberships.flatMap(({ account, workspace, role: held }) =>
                workspace === null ? [[account, held]] : [],
              ),
            ),
            workspaces: rolesText(
              memberships.flatMap(({ workspace, role: held }) => (workspace === null ? [] : [[workspace, held]])),
            ),
          })),
        );
      },
    }),
    defineCommand({
      name: `${group} update`,
      summary: `Update the name or display name of a ${label}.`,
      argument: 'name',
      input: z.object({
        name: existing,
        newName: name
          .optional()
          .meta({ placeholder: kind === 'user' ? 'EMAIL' : 'NAME', description: 'The new name.' }),
        displayName: placementInputs.displayName,
      }),
      run: async (admin, input, print) => {
        const changed = await updatePrincipal(await frameContext(admin), { ...input, kind });
        print.done(`Updated the ${label} ${changed.name}.`, { id: changed.id, name: changed.name });
      },
    }),
    defineCommand({
      name: `${group} delete`,
      summary: `Delete a ${label}, and its API keys, tokens, memberships and clients.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async (admin, { name: known }, print) => {
        await deletePrincipal(await frameContext(admin), { kind, name: known });
        print.done(`Deleted the ${label} ${known}.`, { name: known });
      },
    }),
    defineCommand({
      name: `${group} end-access`,
      summary: `End everything that a ${label} can do in an account or, by default, everywhere, and count what it created.`,
      argument: 'name',
      input: z.object({
        name: existing,
        account: described(
          accountName.optional(),
          'ACCOUNT',
          `Only the access to this account. Default: all accounts and sessions; the ${label} is disabled.`,
        ),
        revokeCreatedKeys: described(
          z.enum(['yes', 'no'], { error: 'must be yes or no' }).optional(),
          'yes|no',
          'Also revoke active API keys of others that it created. Default: no.',
        ),
        dryRun: switchInput(dryRunDescription),
      }),
      run: async (admin, { name: known, account, revokeCreatedKeys, dryRun }, print) => {
        await requirePrincipal(admin.db, { kind, name: known });
        const ctx = account === undefined ? await platformContext(admin) : await operatorContext(admin, { account });
        const {
          accountId,
          keptAccounts,
          isDisabled: _,
          name: ended,
          ...counts
        } = await endAccess(ctx, {
          name: known,
          everywhere: account === undefined,
          revokeCreatedKeys: revokeCreatedKeys === 'yes',
          validateOnly: dryRun === 'yes',
        });
        const created = await listCreated(ctx, ended, accountId);
        print.table(
          ['what', 'account', 'workspace', 'count'],
          [
            ...Object.entries(counts).map(([what, count]) => ({
              what: `ended: ${what}`,
              account: account ?? null,
              workspace: null,
              count: String(count),
            })),
            ...keptAccounts.map((kept) => ({
              what: 'kept: membership of the last admin',
              account: kept,
              workspace: null,
              count: '1',
            })),
            ...created.map(({ kind: what, account: of, workspace, count }) => ({
              what: `created: ${what}`,
              account: of,
              workspace,
              count: String(count),
            })),
          ],
        );
      },
    }),
    defineCommand({
      name: `${group} disable`,
      summary: `Disable a ${label}. Its keys and tokens stop working.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async (admin, input, print) => {
        const { disabledAt } = await setPrincipalDisabled(await frameContext(admin), {
          ...input,
          kind,
          isDisabled: true,
        });
        print.done(`Disabled the ${label} ${input.name}.`, { name: input.name, disabledAt });
      },
    }),
    defineCommand({
      name: `${group} enable`,
      summary: `Enable a disabled ${label}.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async (admin, input, print) => {
        await setPrincipalDisabled(await frameContext(admin), { ...input, kind, isDisabled: false });
        print.done(`Enabled the ${label} ${input.name}.`, { name: input.name, disabledAt: null });
      },
    }),
  ];
});

function rolesText(held: readonly (readonly [place: string, role: Role])[]): string {
  return held.map(([place, name]) => `${place}:${name}`).join(' ');
}
