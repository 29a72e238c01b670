// Who may do what in the demo's accounts: API keys, memberships, invitations and denied requests, with their changes.
import { randomBytes } from 'node:crypto';
import { keyChange } from '../accounts/api-keys.js';
import { invitationChange, invitationQuery } from '../accounts/invitation.js';
import type { StoredApiKey } from '../auth/stored-api-key.js';
import type { Role } from '../auth/caller.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { memberChange } from '../changes/member-change.js';
import { changeRowBy, changeRowByGuest } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { deniedRequestRow } from '../changes/denied-requests/denied-request-rows.js';
import type { Prisma } from '../database/client/client.js';
import { joinedAt } from './accounts.js';
import { addressOf, prefixOf, principalNamed, programKeys, requestBy } from './actors.js';
import {
  costDashboard,
  demoOperator,
  demoOwner,
  mainWorkspace,
  pipeline,
  platformAccount,
  researchLead,
  tidewaterOwner,
} from './company.js';
import type { DemoAccount } from './company.js';
import { idOf } from './random.js';
import { dayMs, hourMs, minuteMs, workTime } from './times.js';

interface DemoKey {
  name: string;
  account: string;
  owner: string;
  scope: string;
  createdDaysAgo: number;
  createdBy: string;
  usedMinutesAgo?: number;
  expiresInDays?: number;
  revokedDaysAgo?: number;
  workspace?: string;
  addressRanges?: string[];
}

const deploying =
  'agents:create agents:get agents:list agents:update jobs:get jobs:list jobs:update sandboxes:get sandboxes:list';

const minutesADay = 24 * 60;

/** Keys in use, forgotten, never used, expiring, expired and revoked. Nobody has them. */
const keys: readonly DemoKey[] = [
  {
    name: programKeys[pipeline] ?? '',
    account: platformAccount,
    owner: pipeline,
    scope: deploying,
    createdDaysAgo: 360,
    createdBy: demoOwner,
    usedMinutesAgo: 9,
    expiresInDays: 5,
    addressRanges: ['198.51.100.0/24'],
  },
  {
    name: programKeys[costDashboard] ?? '',
    account: platformAccount,
    owner: costDashboard,
    scope: 'metrics:read',
    createdDaysAgo: 171,
    createdBy: demoOwner,
    usedMinutesAgo: 2,
  },
  {
    name: 'terraform',
    account: platformAccount,
    owner: pipeline,
    scope: 'admin',
    createdDaysAgo: 240,
    createdBy: demoOwner,
    usedMinutesAgo: 74 * minutesADay,
    expiresInDays: 125,
  },
  {
    name: 'incident-tooling',
    account: platformAccount,
    owner: demoOperator,
    scope: 'agents:get agents:list agents:update',
    createdDaysAgo: 33,
    createdBy: demoOperator,
    usedMinutesAgo: minutesADay,
    expiresInDays: 57,
    workspace: 'meridian-staging',
  },
  {
    name: 'warehouse-bi',
    account: platformAccount,
    owner: costDashboard,
    scope: 'metrics:read',
    createdDaysAgo: 41,
    createdBy: demoOwner,
    expiresInDays: 320,
  },
  {
    name: 'simulation-notebook',
    account: platformAccount,
    owner: researchLead,
    scope: 'sandboxes:create sandboxes:get sandboxes:list',
    createdDaysAgo: 110,
    createdBy: researchLead,
    usedMinutesAgo: 21 * minutesADay,
    expiresInDays: -20,
    workspace: 'meridian-research',
  },
  {
    name: 'jenkins',
    account: platformAccount,
    owner: pipeline,
    scope: deploying,
    createdDaysAgo: 390,
    createdBy: demoOwner,
    usedMinutesAgo: 358 * minutesADay,
    revokedDaysAgo: 357,
  },
  {
    name: 'dispatch-board',
    account: 'tidewater-labs',
    owner: tidewaterOwner,
    scope: 'agents:get agents:list',
    createdDaysAgo: 88,
    createdBy: tidewaterOwner,
    usedMinutesAgo: 41,
    expiresInDays: 277,
  },
];

interface DemoInvitation {
  account: string;
  name: string;
  role: Role;
  workspace?: string;
  invitedBy: string;
  daysAgo: number;
  expiresInDays: number;
  revokedDaysAgo?: number;
}

const invitations: readonly DemoInvitation[] = [
  {
    account: platformAccount,
    name: 'lena.brandt@meridian.example.com',
    role: 'member',
    workspace: mainWorkspace,
    invitedBy: demoOwner,
    daysAgo: 1.2,
    expiresInDays: 5.8,
  },
  {
    account: platformAccount,
    name: 'audit@hansen-audit.example.com',
    role: 'viewer',
    invitedBy: demoOwner,
    daysAgo: 3.4,
    expiresInDays: 10.6,
  },
  {
    account: platformAccount,
    name: 'jonas.lindqvist@meridian.example.com',
    role: 'member',
    workspace: mainWorkspace,
    invitedBy: demoOwner,
    daysAgo: 16.3,
    expiresInDays: -9.3,
  },
  {
    account: platformAccount,
    name: 'consulting@freightworks.example.com',
    role: 'admin',
    invitedBy: demoOwner,
    daysAgo: 47.1,
    expiresInDays: -40.1,
    revokedDaysAgo: 46.8,
  },
  {
    account: 'tidewater-labs',
    name: 'sami@tidewater.example.com',
    role: 'member',
    invitedBy: tidewaterOwner,
    daysAgo: 2.1,
    expiresInDays: 4.9,
  },
];

type Transaction = Prisma.TransactionClient;

/** Inserts the keys and invitations of an account. @returns the changes of them and of its members */
export async function loadAccess(tx: Transaction, account: DemoAccount, end: Date): Promise<ChangeRow[]> {
  const ago = (days: number) => new Date(end.getTime() - Math.round(days * dayMs));
  return [
    ...memberChanges(account, end),
    ...(await loadKeys(tx, account, ago)),
    ...(await loadInvitations(tx, account, ago)),
    ...deniedRequests(account, ago),
  ];
}

type Ago = (days: number) => Date;

async function loadKeys(tx: Transaction, account: DemoAccount, ago: Ago): Promise<ChangeRow[]> {
  const changes: ChangeRow[] = [];
  const rows: Prisma.ApiKeyCreateManyInput[] = [];
  for (const key of keys.filter((each) => each.account === account.name)) {
    const stored = storedKey(key, account, ago);
    const { principal: _principal, account: _account, workspace: _workspace, ...row } = stored;
    // No key has this hash.
    rows.push({ ...row, hash: randomBytes(32) });
    const issued = { ...stored, revokedAt: null };
    const made = keyChange('created', issued, undefined);
    changes.push(changeRowBy(requestBy(key.createdBy, stored.createdAt, `${row.id} created`), undefined, made));
    if (stored.revokedAt === null) continue;
    const revoked = keyChange('revoked', stored, issued);
    changes.push(changeRowBy(requestBy(demoOwner, stored.revokedAt, `${row.id} revoked`), undefined, revoked));
  }
  await tx.apiKey.createMany({ data: rows });
  return changes;
}

function storedKey(key: DemoKey, account: DemoAccount, ago: Ago): StoredApiKey {
  const { name, owner, scope, workspace, usedMinutesAgo, expiresInDays, revokedDaysAgo } = key;
  return {
    id: idOf(`${account.name} key ${name}`),
    principalId: idOf(owner),
    accountId: idOf(account.name),
    workspaceId: workspace === undefined ? null : idOf(workspace),
    name,
    prefix: prefixOf(name),
    scope,
    addressRanges: key.addressRanges ?? [],
    createdAt: workTime(ago(key.createdDaysAgo), name),
    createdBy: key.createdBy,
    createdWith: 'access_token console',
    expiresAt: expiresInDays === undefined ? null : ago(-expiresInDays),
    revokedAt: revokedDaysAgo === undefined ? null : ago(revokedDaysAgo),
    lastUsedAt: usedMinutesAgo === undefined ? null : ago(usedMinutesAgo / minutesADay),
    parentId: null,
    successorId: null,
    principal: { name: owner, kind: principalNamed(owner).kind },
    account: { name: account.name },
    workspace: workspace === undefined ? null : { name: workspace },
  };
}

async function loadInvitations(tx: Transaction, account: DemoAccount, ago: Ago): Promise<ChangeRow[]> {
  const own = invitations.filter((each) => each.account === account.name);
  await tx.invitation.createMany({
    data: own.map(({ name, role, workspace, invitedBy, daysAgo, expiresInDays, revokedDaysAgo }) => ({
      id: idOf(`${account.name} invitation of ${name}`),
      accountId: idOf(account.name),
      workspaceId: workspace === undefined ? null : idOf(workspace),
      name,
      role,
      status: revokedDaysAgo === undefined ? 'pending' : 'revoked',
      invitedById: idOf(invitedBy),
      invitedBy,
      createdAt: workTime(ago(daysAgo), name),
      expiresAt: ago(-expiresInDays),
      decidedAt: revokedDaysAgo === undefined ? null : ago(revokedDaysAgo),
    })),
  });
  const rows = await tx.invitation.findMany({ where: { accountId: idOf(account.name) }, ...invitationQuery });
  return rows.flatMap((row) => {
    const { id, createdAt, decidedAt, invitedBy } = row;
    const by = invitedBy ?? demoOwner;
    const open = { ...row, status: 'pending', decidedAt: null } as const;
    const created = changeRowBy(
      requestBy(by, createdAt, `${id} created`),
      undefined,
      invitationChange('created', open, undefined),
    );
    if (decidedAt === null) return [created];
    const revoked = invitationChange('revoked', row, open);
    return [created, changeRowBy(requestBy(by, decidedAt, `${id} revoked`), undefined, revoked)];
  });
}

/** Users accepted an invitation, and an operator added the service accounts. */
function memberChanges(account: DemoAccount, end: Date): ChangeRow[] {
  return account.principals.flatMap((principal) => {
    const at = joinedAt(principal, end);
    const who = { id: idOf(principal.name), name: principal.name };
    const joined = (role: Role, workspace: string | undefined): NewChange => {
      const tenant = {
        account,
        workspace: workspace === undefined ? undefined : { id: idOf(workspace), name: workspace },
      };
      return memberChange(who, tenant, undefined, role);
    };
    const changes = [
      joined(principal.role, undefined),
      ...Object.entries(principal.workspaces).map(([workspace, role]) => joined(role, workspace)),
    ];
    const guest = { principal: { ...who, kind: principal.kind } };
    if (principal.kind === 'user') return changes.map((change) => changeRowByGuest(guest, at, change));
    const request = requestBy(principal.name, at, `${principal.name} joined`);
    const operator = { ...request, caller: { ...request.caller, isOperator: true }, api: 'cli' as const };
    return changes.map((change) => changeRowBy(operator, undefined, change));
  });
}

function deniedRequests({ name: account }: DemoAccount, ago: Ago): ChangeRow[] {
  if (account !== platformAccount) return [];
  const denied = [
    {
      actor: costDashboard,
      name: 'updateAgent',
      message: 'The credential lacks the scope agents:update.',
      count: 3,
      daysAgo: 6.1,
    },
    {
      actor: pipeline,
      name: 'deleteVolume',
      message: 'The credential lacks the scope volumes:delete.',
      count: 1,
      daysAgo: 2.3,
    },
    {
      actor: demoOperator,
      name: 'createApiKey',
      message: 'Only an admin of the account can create keys.',
      count: 1,
      daysAgo: 33.2,
    },
  ];
  return denied.map(({ actor, name, message, count, daysAgo }) => {
    const firstAt = ago(daysAgo);
    const lastAt = new Date(firstAt.getTime() + (count - 1) * 2 * minuteMs);
    const { caller, requestId } = requestBy(actor, lastAt, `${actor} ${name} denied`);
    const { principal, credential } = caller;
    const denied = {
      key: idOf(`${actor} ${name}`),
      verb: 'denied',
      kind: 'ACCESS',
      name,
      actor_id: principal.id,
      actor_kind: principalNamed(actor).kind,
      actor_name: actor,
      client: `${credential.kind} ${credential.label}`,
      address: addressOf(actor),
      request_id: requestId,
      api: 'graphql',
      message,
      count,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    } as const;
    return deniedRequestRow(denied, new Date(lastAt.getTime() + hourMs / 60));
  });
}
