// The OAuth clients of the demo: of its service accounts, and programs to which its people sign in.
import { randomBytes } from 'node:crypto';
import { readClients, shownClient } from '../auth/stored-client.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { changeRowBy } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';
import { requestBy } from './actors.js';
import { costDashboard, demoOperator, demoOwner, mainWorkspace, pipeline, platformAccount } from './company.js';
import type { DemoAccount } from './company.js';
import { idOf } from './random.js';
import { dayMs, workTime } from './times.js';

interface DemoClient {
  id: string;
  displayName: string;
  /** The service account that it acts as. */
  owner: string;
  scope: string;
  workspace?: string;
  createdDaysAgo: number;
  revokedDaysAgo?: number;
}

const clients: readonly DemoClient[] = [
  {
    id: 'dispatch-sync',
    displayName: 'Dispatch sync',
    owner: pipeline,
    scope: 'agents:get agents:list jobs:get jobs:list',
    workspace: mainWorkspace,
    createdDaysAgo: 52,
  },
  {
    id: 'finance-export',
    displayName: 'Finance export',
    owner: costDashboard,
    scope: 'metrics:read',
    createdDaysAgo: 129,
  },
  {
    id: 'yard-scheduler',
    displayName: 'Yard scheduler (old)',
    owner: pipeline,
    scope: 'jobs:get jobs:list jobs:update',
    createdDaysAgo: 301,
    revokedDaysAgo: 88,
  },
];

interface DemoProgram {
  id: string;
  displayName: string;
  redirectUri: string;
  scope: string;
  /** The people who authorized it. */
  users: { name: string; givenDaysAgo: number }[];
}

/** The operator registered them, for users of all accounts. */
const programs: readonly DemoProgram[] = [
  {
    id: 'freight-board',
    displayName: 'Freight board',
    redirectUri: 'https://board.meridian.example.com/signed-in',
    scope: 'agents:get agents:list jobs:get jobs:list metrics:read',
    users: [
      { name: demoOwner, givenDaysAgo: 61 },
      { name: demoOperator, givenDaysAgo: 58 },
    ],
  },
  {
    id: 'desk-assistant',
    displayName: 'Desk assistant (MCP)',
    redirectUri: 'http://127.0.0.1/callback',
    scope: 'agents:get agents:list sandboxes:list',
    users: [{ name: demoOwner, givenDaysAgo: 12 }],
  },
];

/** Inserts the clients of an account and the consents to programs. @returns the changes of the clients */
export async function loadOauthClients(
  tx: Prisma.TransactionClient,
  { name: account }: DemoAccount,
  end: Date,
): Promise<ChangeRow[]> {
  if (account !== platformAccount) return [];
  const ago = (days: number) => new Date(end.getTime() - Math.round(days * dayMs));
  const accountId = idOf(account);
  await tx.oauthClient.createMany({
    data: [
      ...clients.map(({ id, displayName, owner, scope, workspace, createdDaysAgo, revokedDaysAgo }) => ({
        id,
        displayName,
        scope,
        // No secret has this hash.
        secretHash: randomBytes(32),
        redirectUris: [],
        grantTypes: ['client_credentials' as const],
        principalId: idOf(owner),
        accountId,
        workspaceId: workspace === undefined ? null : idOf(workspace),
        createdAt: workTime(ago(createdDaysAgo), id),
        revokedAt: revokedDaysAgo === undefined ? null : ago(revokedDaysAgo),
      })),
      ...programs.map(({ id, displayName, redirectUri, scope }) => ({
        id,
        displayName,
        scope,
        redirectUris: [redirectUri],
        grantTypes: ['authorization_code' as const, 'refresh_token' as const],
        createdAt: ago(90),
      })),
    ],
  });
  await tx.oauthConsent.createMany({
    data: programs.flatMap(({ id, scope, users }) =>
      users.map(({ name, givenDaysAgo }) => ({
        clientId: id,
        principalId: idOf(name),
        accountId,
        scope,
        givenAt: workTime(ago(givenDaysAgo), `${id} ${name}`),
      })),
    ),
  });
  const stored = await readClients(tx, { accountId });
  return stored.flatMap((client) => {
    const { id: name, workspaceId, createdAt, revokedAt } = client;
    const open = shownClient({ ...client, revokedAt: null });
    const kind = 'OAUTH_CLIENT';
    const record = (at: Date, verb: 'created' | 'revoked', shown: { before?: object; after: object }) => {
      const message = `${verb === 'created' ? 'Created' : 'Revoked'} by ${demoOwner}`;
      const event = { type: verb, status: verb, message };
      const fields = verb === 'created' ? [] : ['revokedAt'];
      const request = requestBy(demoOwner, at, `client ${name} ${verb}`);
      return changeRowBy(request, undefined, { kind, verb, name, workspaceId, fields, ...shown, event });
    };
    const created = record(createdAt, 'created', { after: open });
    if (revokedAt === null) return [created];
    return [created, record(revokedAt, 'revoked', { before: open, after: shownClient(client) })];
  });
}
