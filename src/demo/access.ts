// Who may do what in the demo's accounts: API keys, memberships, invitations and denied requests, with their changes.
import { createApiKey, revokeApiKey } from '../accounts/api-keys.js';
import { setMember } from '../accounts/member-changes.js';
import { inviteMember, revokeInvitation } from '../accounts/invitations.js';
import type { Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { deniedRequestRow } from '../changes/denied-requests/denied-request-rows.js';
import { joinedAt } from './accounts.js';
import { addressOf, principalNamed, programKeys, requestBy } from './actors.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
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
import { daysBefore, hourMs, minuteMs, workTime } from './times.js';

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
    expiresInDays: 7,
  },
  {
    account: platformAccount,
    name: 'audit@hansen-audit.example.com',
    role: 'viewer',
    invitedBy: demoOwner,
    daysAgo: 3.4,
    expiresInDays: 14,
  },
  {
    account: platformAccount,
    name: 'jonas.lindqvist@meridian.example.com',
    role: 'member',
    workspace: mainWorkspace,
    invitedBy: demoOwner,
    daysAgo: 16.3,
    expiresInDays: 7,
  },
  {
    account: platformAccount,
    name: 'consulting@freightworks.example.com',
    role: 'admin',
    invitedBy: demoOwner,
    daysAgo: 47.1,
    expiresInDays: 7,
    revokedDaysAgo: 46.8,
  },
  {
    account: 'tidewater-labs',
    name: 'sami@tidewater.example.com',
    role: 'member',
    invitedBy: tidewaterOwner,
    daysAgo: 2.1,
    expiresInDays: 7,
  },
];

/** Creates the keys and invitations of the demo. */
export async function giveAccess(loading: Loading): Promise<void> {
  const ago = (days: number) => daysBefore(loading.end, days);
  for (const key of keys) await createKey(loading, key);
  // The history names keys by their names: it was written before they existed.
  await loading.tx.$executeRaw`
    UPDATE "change" AS c SET "client" = 'api_key ' || k."prefix" FROM "api_key" AS k WHERE c."client" = 'api_key ' || k."name"`;
  for (const { name, invitedBy, daysAgo, revokedDaysAgo, ...invitation } of invitations) {
    const invited = requestAt(loading, invitedBy, workTime(ago(daysAgo), name));
    const { id } = await inviteMember(invited, { ...invitation, email: name });
    if (revokedDaysAgo !== undefined)
      await revokeInvitation(requestAt(loading, invitedBy, ago(revokedDaysAgo)), { id });
  }
}

async function createKey(loading: Loading, key: DemoKey): Promise<void> {
  const ago = (days: number) => daysBefore(loading.end, days);
  const { scope, createdDaysAgo, createdBy, usedMinutesAgo, expiresInDays, revokedDaysAgo, ...named } = key;
  const { stored } = await createApiKey(requestAt(loading, createdBy, workTime(ago(createdDaysAgo), key.name)), {
    ...named,
    owner: key.owner === createdBy ? undefined : key.owner,
    scopes: scope.split(' '),
    ...(expiresInDays === undefined ? { neverExpires: true } : { expiresAt: ago(-expiresInDays).toISOString() }),
  });
  const { id } = stored;
  if (revokedDaysAgo !== undefined) await revokeApiKey(requestAt(loading, demoOwner, ago(revokedDaysAgo)), { id });
  if (usedMinutesAgo !== undefined)
    await loading.tx.apiKey.update({ where: { id }, data: { lastUsedAt: ago(usedMinutesAgo / minutesADay) } });
}

/** Adds the members of an account: its admins on the command line, and the others by the platform's admin. */
export async function addMembers(loading: Loading, { name: account, principals }: DemoAccount): Promise<void> {
  for (const principal of principals) {
    const { name, role } = principal;
    const request = requestAt(loading, demoOwner, joinedAt(principal, loading.end));
    const ctx = role === 'admin' ? onCommandLine(request) : request;
    await setMember(ctx, { account, name, role });
    for (const [workspace, itsRole] of Object.entries(principal.workspaces))
      await setMember(ctx, { account, workspace, name, role: itsRole });
  }
}

function onCommandLine(request: RequestContext): RequestContext {
  return { ...request, caller: { ...request.caller, isOperator: true }, api: 'cli' };
}

/** The denied requests of an account, as the service collects them. */
export function deniedRequests({ name: account }: DemoAccount, end: Date): ChangeRow[] {
  if (account !== platformAccount) return [];
  const ago = (days: number) => daysBefore(end, days);
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
