import { z } from 'zod';
import { createAccount, deleteAccount, updateAccount } from '../accounts/account-changes.js';
import { removeMember, setMember } from '../accounts/member-changes.js';
import { createWorkspace, updateWorkspace } from '../accounts/workspace-changes.js';
import { deleteWorkspace } from '../accounts/workspace-deletion.js';
import { findAccount } from '../accounts/find-tenant.js';
import { frameContext, operatorContext } from './operator/operator-context.js';
import { displayName, resourceName } from '../schema/resource.js';
import { nameForPeople } from '../schema/text.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { accountName, principalName, role, workspaceName } from './inputs.js';

const displayNameInput = described(displayName.optional(), 'TEXT', 'Display name.');

const eitherPlace = {
  account: described(accountName.optional(), 'ACCOUNT', 'Name of the account. Required unless --workspace is set.'),
  workspace: described(
    workspaceName.optional(),
    'WORKSPACE',
    'Name of the workspace. Required unless --account is set.',
  ),
};

const namesOnePlace = ({ account, workspace }: { account?: unknown; workspace?: unknown }) =>
  (account === undefined) !== (workspace === undefined);
const onePlace = { error: 'requires either --account or --workspace' };

export const accountCommands: Command[] = [
  defineCommand({
    name: 'accounts create',
    summary: 'Create an account.',
    argument: 'name',
    input: z.object({
      name: described(resourceName, 'NAME', 'Unique name: lowercase letters, digits and hyphens.'),
      displayName: displayNameInput,
      plan: described(nameForPeople(63).optional(), 'PLAN', 'Billing plan. Default: free.'),
    }),
    run: async (admin, { plan: newPlan, ...metadata }, print) => {
      const created = await createAccount(await frameContext(admin), { metadata, plan: newPlan });
      const { id, name, displayName = null, plan } = created;
      print.done(`Created the account ${name}.`, { id, name, displayName, plan });
    },
  }),
  defineCommand({
    name: 'accounts list',
    summary: 'List accounts.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['name', 'displayName', 'plan', 'createdAt', 'id'],
        await db.account.findMany({ orderBy: { name: 'asc' } }),
      ),
  }),
  defineCommand({
    name: 'accounts update',
    summary: 'Update the display name or the plan of an account.',
    argument: 'name',
    input: z.object({
      name: described(accountName, 'ACCOUNT', 'Name of the account.'),
      displayName: displayNameInput,
      plan: described(nameForPeople(63).optional(), 'PLAN', 'Billing plan.'),
    }),
    run: async (admin, { name, displayName: newDisplayName, plan: newPlan }, print) => {
      const ctx = await frameContext(admin);
      const metadata = newDisplayName === undefined ? {} : { displayName: newDisplayName };
      const { id, displayName = null, plan } = await updateAccount(ctx, { name, metadata, plan: newPlan });
      print.done(`Updated the account ${name}.`, { id, name, displayName, plan });
    },
  }),
  defineCommand({
    name: 'accounts delete',
    summary: 'Delete an account without workspaces, and its memberships, API keys and clients.',
    argument: 'name',
    input: z.object({ name: described(accountName, 'ACCOUNT', 'Name of the account.') }),
    run: async (admin, { name }, print) => {
      await deleteAccount(await frameContext(admin), { name });
      print.done(`Deleted the account ${name}.`, { name });
    },
  }),
  defineCommand({
    name: 'workspaces create',
    summary: 'Create a workspace in an account.',
    argument: 'name',
    input: z.object({
      name: described(resourceName, 'NAME', 'Name, unique across all accounts: lowercase letters, digits and hyphens.'),
      account: described(accountName, 'ACCOUNT', 'Name of the account of the workspace.'),
      displayName: displayNameInput,
    }),
    run: async (admin, input, print) => {
      const ctx = await operatorContext(admin, { account: input.account });
      const metadata = { name: input.name, displayName: input.displayName };
      const { id, name, displayName = null, account } = await createWorkspace(ctx, { metadata });
      const record = { id, name, displayName, account: account.name };
      print.done(`Created the workspace ${name} in the account ${account.name}.`, record);
    },
  }),
  defineCommand({
    name: 'workspaces list',
    summary: 'List workspaces.',
    input: z.object({
      account: described(
        accountName.optional(),
        'ACCOUNT',
        'List only workspaces of this account. Default: all accounts.',
      ),
    }),
    run: async ({ db }, input, print) => {
      const where = input.account === undefined ? {} : { accountId: (await findAccount(db, input.account)).id };
      const workspaces = await db.workspace.findMany({ where, include: { account: true }, orderBy: { name: 'asc' } });
      print.table(
        ['name', 'displayName', 'account', 'createdAt', 'id'],
        workspaces.map((workspace) => ({ ...workspace, account: workspace.account.name })),
      );
    },
  }),
  defineCommand({
    name: 'workspaces update',
    summary: 'Update the display name of a workspace.',
    argument: 'name',
    input: z.object({
      name: described(workspaceName, 'WORKSPACE', 'Name of the workspace.'),
      displayName: displayNameInput,
    }),
    run: async (admin, { name, displayName: newDisplayName }, print) => {
      const ctx = await operatorContext(admin, { workspace: name });
      const metadata = newDisplayName === undefined ? {} : { displayName: newDisplayName };
      const { id, displayName = null, account } = await updateWorkspace(ctx, { name, metadata });
      print.done(`Updated the workspace ${name}.`, { id, name, displayName, account: account.name });
    },
  }),
  defineCommand({
    name: 'workspaces delete',
    summary: 'Delete an empty workspace, and its memberships, API keys and clients.',
    argument: 'name',
    input: z.object({ name: described(workspaceName, 'WORKSPACE', 'Name of the workspace.') }),
    run: async (admin, { name }, print) => {
      const ctx = await operatorContext(admin, { workspace: name });
      await deleteWorkspace(ctx, { name });
      print.done(`Deleted the workspace ${name}.`, { name });
    },
  }),
  defineCommand({
    name: 'members set',
    summary: 'Add a member to an account or workspace, or change the role of a member.',
    argument: 'principal',
    input: z
      .object({
        principal: principalName,
        ...eitherPlace,
        role: described(role, 'ROLE', 'Role: admin, member or viewer.'),
      })
      .refine(namesOnePlace, onePlace),
    run: async (admin, { principal: name, ...input }, print) => {
      await setMember(await frameContext(admin), { name, ...input });
      print.done(
        `${name} now has the role ${input.role} in the ${placeText(input)}.`,
        memberRecord(name, input, input.role),
      );
    },
  }),
  defineCommand({
    name: 'members remove',
    summary: 'Remove a member from an account or workspace, and revoke their keys and tokens there.',
    argument: 'principal',
    input: z.object({ principal: principalName, ...eitherPlace }).refine(namesOnePlace, onePlace),
    run: async (admin, { principal: name, ...place }, print) => {
      await removeMember(await frameContext(admin), { name, ...place });
      print.done(`${name} is no longer a member of the ${placeText(place)}.`, memberRecord(name, place, null));
    },
  }),
];

interface Place {
  account?: string | undefined;
  workspace?: string | undefined;
}

function placeText({ account, workspace }: Place): string {
  return workspace === undefined ? `account ${account ?? ''}` : `workspace ${workspace}`;
}

function memberRecord(principal: string, { account, workspace }: Place, role: string | null) {
  return { principal, account: account ?? null, workspace: workspace ?? null, role };
}
