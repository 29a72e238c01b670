import { z } from 'zod';
import { createAccount, deleteAccount, listAccounts, updateAccount } from './operator/all-accounts.js';
import { removeMember, setMember } from './operator/all-members.js';
import { createWorkspace, deleteWorkspace, listWorkspaces, updateWorkspace } from './operator/all-workspaces.js';
import { displayName, resourceName } from '../schema/resource.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { accountName, principalName, role, workspaceName } from './inputs.js';

const displayNameInput = described(displayName.optional(), 'TEXT', 'Name for people.');

const eitherPlace = {
  account: described(accountName.optional(), 'ACCOUNT', 'The account; or else --workspace.'),
  workspace: described(workspaceName.optional(), 'WORKSPACE', 'The workspace; or else --account.'),
};

const namesOnePlace = ({ account, workspace }: { account?: unknown; workspace?: unknown }) =>
  (account === undefined) !== (workspace === undefined);
const onePlace = { error: 'needs either --account or --workspace' };

export const accountCommands: Command[] = [
  defineCommand({
    name: 'accounts create',
    summary: 'Create an account.',
    argument: 'name',
    input: z.object({
      name: described(resourceName, 'NAME', 'Lowercase letters, digits and hyphens; unique.'),
      displayName: displayNameInput,
      plan: described(z.string().min(1).max(63).optional(), 'PLAN', 'Billing plan tier; "free" by default.'),
    }),
    run: async ({ db }, input, print) => {
      const { id, name, displayName, plan } = await createAccount(db, { ...input, plan: input.plan ?? 'free' });
      print.done(`Created the account ${name}.`, { id, name, displayName, plan });
    },
  }),
  defineCommand({
    name: 'accounts list',
    summary: 'List the accounts.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(['name', 'displayName', 'plan', 'createdAt', 'id'], await listAccounts(db)),
  }),
  defineCommand({
    name: 'accounts update',
    summary: 'Change what people see of an account, and its plan.',
    argument: 'name',
    input: z.object({
      name: described(accountName, 'ACCOUNT', 'Which account.'),
      displayName: displayNameInput,
      plan: described(z.string().min(1).max(63).optional(), 'PLAN', 'Billing plan tier.'),
    }),
    run: async ({ db, now }, { name, ...changes }, print) => {
      const { id, displayName, plan } = await updateAccount(db, name, changes, now());
      print.done(`Changed the account ${name}.`, { id, name, displayName, plan });
    },
  }),
  defineCommand({
    name: 'accounts delete',
    summary: 'Remove an account that has no workspaces, with its members, keys and clients. Its name is free again.',
    argument: 'name',
    input: z.object({ name: described(accountName, 'ACCOUNT', 'Which account.') }),
    run: async ({ db, now, platformAccount }, { name }, print) => {
      await deleteAccount(db, name, now(), platformAccount);
      print.done(`Removed the account ${name}.`, { name });
    },
  }),
  defineCommand({
    name: 'workspaces create',
    summary: 'Create a workspace in an account.',
    argument: 'name',
    input: z.object({
      name: described(
        resourceName,
        'NAME',
        'Lowercase letters, digits and hyphens; unique among all workspaces of all accounts.',
      ),
      account: described(accountName, 'ACCOUNT', 'The account that it belongs to.'),
      displayName: displayNameInput,
    }),
    run: async ({ db }, input, print) => {
      const { id, name, displayName, account } = await createWorkspace(db, input);
      const record = { id, name, displayName, account: account.name };
      print.done(`Created the workspace ${name} in the account ${account.name}.`, record);
    },
  }),
  defineCommand({
    name: 'workspaces list',
    summary: 'List the workspaces.',
    input: z.object({ account: described(accountName.optional(), 'ACCOUNT', 'Only those of this account.') }),
    run: async ({ db }, input, print) => {
      const workspaces = await listWorkspaces(db, input.account);
      print.table(
        ['name', 'displayName', 'account', 'createdAt', 'id'],
        workspaces.map((workspace) => ({ ...workspace, account: workspace.account.name })),
      );
    },
  }),
  defineCommand({
    name: 'workspaces update',
    summary: 'Change what people see of a workspace.',
    argument: 'name',
    input: z.object({
      name: described(workspaceName, 'WORKSPACE', 'Which workspace.'),
      displayName: displayNameInput,
    }),
    run: async ({ db, now }, { name, displayName }, print) => {
      await updateWorkspace(db, name, { displayName }, now());
      print.done(`Changed the workspace ${name}.`, { name });
    },
  }),
  defineCommand({
    name: 'workspaces delete',
    summary: 'Remove an empty workspace, with the keys, clients and memberships of it. Its name is free again.',
    argument: 'name',
    input: z.object({ name: described(workspaceName, 'WORKSPACE', 'Which workspace.') }),
    run: async ({ db, now }, { name }, print) => {
      await deleteWorkspace(db, name, now());
      print.done(`Removed the workspace ${name}.`, { name });
    },
  }),
  defineCommand({
    name: 'members set',
    summary: 'Make somebody a member of an account or a workspace, or change the role of a member.',
    argument: 'principal',
    input: z
      .object({ principal: principalName, ...eitherPlace, role: described(role, 'ROLE', 'admin, member or viewer.') })
      .refine(namesOnePlace, onePlace),
    run: async ({ db, now }, input, print) => {
      await setMember(db, input, input.role, now());
      print.done(
        `${input.principal} is now ${input.role} of the ${placeText(input)}.`,
        memberRecord(input, input.role),
      );
    },
  }),
  defineCommand({
    name: 'members remove',
    summary: 'End a membership; that of an account ends those of its workspaces, and its keys and tokens stop working.',
    argument: 'principal',
    input: z.object({ principal: principalName, ...eitherPlace }).refine(namesOnePlace, onePlace),
    run: async ({ db, now }, input, print) => {
      await removeMember(db, input, now());
      print.done(`${input.principal} is no longer a member of the ${placeText(input)}.`, memberRecord(input, null));
    },
  }),
];

interface NamedMember {
  principal: string;
  account?: string | undefined;
  workspace?: string | undefined;
}

function placeText({ account, workspace }: NamedMember): string {
  return workspace === undefined ? `account ${account ?? ''}` : `workspace ${workspace}`;
}

function memberRecord(member: NamedMember, role: string | null): Record<string, string | null> {
  const { principal, account = null, workspace = null } = member;
  return { principal, account, workspace, role };
}
