import { z } from 'zod';
import {
  createPrincipal,
  deletePrincipal,
  listPrincipals,
  setPrincipalDisabled,
  updatePrincipal,
} from './operator/all-principals.js';
import type { PrincipalKind } from './operator/all-principals.js';
import { displayName, resourceName } from '../schema/resource.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { accountName, role, storedName, workspaceName } from './inputs.js';

const placementInputs = {
  displayName: described(displayName.optional(), 'TEXT', 'Name for people.'),
  account: described(accountName.optional(), 'ACCOUNT', 'Make them a member of this account.'),
  role: described(role.optional(), 'ROLE', 'Their role in the account, admin, member or viewer; "member" by default.'),
  workspace: described(
    workspaceName.optional(),
    'WORKSPACE',
    'Make them a member of this workspace, and of its account.',
  ),
  workspaceRole: described(
    role.optional(),
    'ROLE',
    'Their role in the workspace, admin, member or viewer; "member" by default.',
  ),
};

interface PrincipalNoun {
  kind: PrincipalKind;
  /** The first word of its commands. */
  group: string;
  noun: string;
  /** Of a new one. */
  name: z.ZodType<string, string>;
}

const nouns: PrincipalNoun[] = [
  {
    kind: 'user',
    group: 'users',
    noun: 'user',
    name: described(
      storedName.pipe(z.email('must be an email address')),
      'EMAIL',
      'Their email address, kept in lower case.',
    ),
  },
  {
    kind: 'service_account',
    group: 'service-accounts',
    noun: 'service account',
    name: described(resourceName, 'NAME', 'Lowercase letters, digits and hyphens; unique.'),
  },
];

export const principalCommands: Command[] = nouns.flatMap(({ kind, group, noun, name }) => {
  const existing = described(storedName, kind === 'user' ? 'EMAIL' : 'NAME', `Which ${noun}.`);
  return [
    defineCommand({
      name: `${group} create`,
      summary: `Create a ${noun}, as a member of an account or a workspace if one is named.`,
      argument: 'name',
      input: z
        .object({ name, ...placementInputs })
        .refine((input) => input.role === undefined || input.account !== undefined, {
          error: '--role needs --account',
        })
        .refine((input) => input.workspaceRole === undefined || input.workspace !== undefined, {
          error: '--workspace-role needs --workspace',
        }),
      run: async ({ db }, input, print) => {
        const principal = await createPrincipal(db, { kind, ...input });
        const { id, displayName } = principal;
        print.done(`Created the ${noun} ${principal.name}.`, { id, name: principal.name, displayName });
      },
    }),
    defineCommand({
      name: `${group} list`,
      summary: `List the ${noun}s, with their roles.`,
      input: z.object({}),
      run: async ({ db }, _input, print) => {
        const principals = await listPrincipals(db, kind);
        print.table(
          ['name', 'displayName', 'accounts', 'workspaces', 'createdAt', 'disabledAt', 'id'],
          principals.map((principal) => ({
            ...principal,
            accounts: principal.accounts.map(({ account, role }) => `${account.name}:${role}`).join(' '),
            workspaces: principal.workspaces.map(({ workspace, role }) => `${workspace.name}:${role}`).join(' '),
          })),
        );
      },
    }),
    defineCommand({
      name: `${group} update`,
      summary: `Change the name of a ${noun}, or what people see. The old name is free again.`,
      argument: 'name',
      input: z.object({
        name: existing,
        newName: name
          .optional()
          .meta({ placeholder: kind === 'user' ? 'EMAIL' : 'NAME', description: 'The new name.' }),
        displayName: placementInputs.displayName,
      }),
      run: async ({ db, now }, { name: known, newName, displayName }, print) => {
        const changed = await updatePrincipal(db, { kind, name: known }, { name: newName, displayName }, now());
        print.done(`Changed the ${noun} ${changed.name}.`, { id: changed.id, name: changed.name });
      },
    }),
    defineCommand({
      name: `${group} delete`,
      summary: `Remove a ${noun}, with keys, tokens, memberships and clients of theirs. Their name is free again.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async ({ db, now }, { name: known }, print) => {
        await deletePrincipal(db, { kind, name: known }, now());
        print.done(`Removed the ${noun} ${known}.`, { name: known });
      },
    }),
    defineCommand({
      name: `${group} disable`,
      summary: `Disable a ${noun}: from then on none of their keys and tokens works.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async ({ db, now }, input, print) => {
        const disabledAt = now();
        await setPrincipalDisabled(db, { kind, name: input.name }, disabledAt, disabledAt);
        print.done(`Disabled the ${noun} ${input.name}.`, { name: input.name, disabledAt });
      },
    }),
    defineCommand({
      name: `${group} enable`,
      summary: `Enable a ${noun} again.`,
      argument: 'name',
      input: z.object({ name: existing }),
      run: async ({ db, now }, input, print) => {
        await setPrincipalDisabled(db, { kind, name: input.name }, null, now());
        print.done(`Enabled the ${noun} ${input.name}.`, { name: input.name, disabledAt: null });
      },
    }),
  ];
});
