import type { AccessibleWorkspace } from '../auth/caller.js';
import type { Prisma } from '../database/client/client.js';
import type { DemoAccount, DemoPrincipal } from './company.js';
import { documentsOf } from './documents.js';
import { idOf } from './random.js';
import { dayMs, daysBefore, workTime } from './times.js';

const accountAgeDays = 400;

/** The end of the demo data. The account was created long before. */
export function endFrom(accountCreatedAt: Date): Date {
  return new Date(accountCreatedAt.getTime() + accountAgeDays * dayMs);
}

/** A workspace as the API shows it to an admin. */
export function demoWorkspace(account: DemoAccount, name: string, end: Date): AccessibleWorkspace {
  const createdAt = daysBefore(end, accountAgeDays);
  const shown = { version: 1, role: 'admin', createdAt, updatedAt: createdAt } as const;
  const { name: accountName, displayName, plan } = account;
  return {
    ...shown,
    id: idOf(name),
    name,
    displayName: titleOf(name) ?? undefined,
    account: { ...shown, id: idOf(accountName), name: accountName, displayName, plan, requiredSignInProvider: null },
  };
}

function titleOf(workspace: string): string | null {
  const [document] = documentsOf('Workspace', workspace);
  if (document === undefined) throw new Error(`The demo has no document of the workspace ${workspace}.`);
  const { displayName } = document.metadata;
  return typeof displayName === 'string' ? displayName : null;
}

/** Inserts an account with its workspaces, users and service accounts. */
export async function loadAccount(db: Prisma.TransactionClient, account: DemoAccount, end: Date): Promise<void> {
  const createdAt = daysBefore(end, accountAgeDays);
  const times = { createdAt, updatedAt: createdAt };
  const { principals } = account;
  const accountId = idOf(account.name);
  const { name, displayName, plan } = account;
  await db.account.create({
    data: { id: accountId, name, displayName, plan, ...times },
  });
  await db.workspace.createMany({
    data: account.workspaces.map((workspace) => ({
      id: idOf(workspace),
      accountId,
      name: workspace,
      displayName: titleOf(workspace),
      ...times,
    })),
  });
  await db.principal.createMany({
    data: principals.map((principal) => ({
      id: idOf(principal.name),
      kind: principal.kind,
      name: principal.name,
      displayName: principal.displayName,
      createdAt: joinedAt(principal, end),
    })),
  });
}

/** When a principal became a member. The workspaces are as old as the account. */
export function joinedAt({ name, joinedDaysAgo }: DemoPrincipal, end: Date): Date {
  const days = joinedDaysAgo ?? accountAgeDays;
  const at = daysBefore(end, days);
  return joinedDaysAgo === undefined ? at : workTime(at, name);
}
