import type { AccessibleWorkspace } from '../auth/caller.js';
import type { Prisma } from '../database/client/client.js';
import type { DemoAccount } from './company.js';
import { documentsOf } from './documents.js';
import { idOf } from './random.js';
import { dayMs } from './times.js';

const accountAgeDays = 400;

/** The end of the demo data. The account was created long before. */
export function endFrom(accountCreatedAt: Date): Date {
  return new Date(accountCreatedAt.getTime() + accountAgeDays * dayMs);
}

/** A workspace as the API shows it to an admin. */
export function demoWorkspace(account: DemoAccount, name: string, end: Date): AccessibleWorkspace {
  const createdAt = new Date(end.getTime() - accountAgeDays * dayMs);
  const shown = { version: 1, role: 'admin', createdAt, updatedAt: createdAt } as const;
  const { name: accountName, displayName, plan } = account;
  return {
    ...shown,
    id: idOf(name),
    name,
    displayName: titleOf(name) ?? undefined,
    account: { ...shown, id: idOf(accountName), name: accountName, displayName, plan },
  };
}

function titleOf(workspace: string): string | null {
  const [document] = documentsOf('Workspace', workspace);
  if (document === undefined) throw new Error(`The demo has no document of the workspace ${workspace}.`);
  const { displayName } = document.metadata;
  return typeof displayName === 'string' ? displayName : null;
}

/** An account with its workspaces, members and roles. */
export async function loadAccount(db: Prisma.TransactionClient, account: DemoAccount, end: Date): Promise<void> {
  const createdAt = new Date(end.getTime() - accountAgeDays * dayMs);
  const times = { createdAt, updatedAt: createdAt };
  const accountId = idOf(account.name);
  const { name, displayName, plan } = account;
  await db.account.create({
    data: { id: accountId, name, displayName, plan, ...times },
  });
  for (const workspace of account.workspaces) {
    await db.workspace.create({
      data: {
        id: idOf(workspace),
        accountId,
        name: workspace,
        displayName: titleOf(workspace),
        ...times,
      },
    });
  }
  for (const principal of account.principals) {
    const id = idOf(principal.name);
    await db.principal.create({
      data: {
        id,
        kind: principal.kind,
        name: principal.name,
        displayName: principal.displayName,
        createdAt,
      },
    });
    await db.accountMember.create({
      data: { accountId, principalId: id, role: principal.role },
    });
    for (const [workspace, role] of Object.entries(principal.workspaces)) {
      await db.workspaceMember.create({
        data: { workspaceId: idOf(workspace), principalId: id, role },
      });
    }
  }
}
