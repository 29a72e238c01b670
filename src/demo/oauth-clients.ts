// The OAuth clients of the demo: of its service accounts, and programs to which its people sign in.
import { createClient, revokeClient } from '../accounts/oauth-clients.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
import { costDashboard, demoOperator, demoOwner, mainWorkspace, pipeline, platformAccount } from './company.js';
import { idOf } from './random.js';
import { daysBefore, workTime } from './times.js';

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

/** Registered for users of all accounts. */
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

/** Registers the clients, and inserts the consents to programs. */
export async function registerClients(loading: Loading): Promise<void> {
  const { tx, end } = loading;
  const ago = (days: number) => daysBefore(end, days);
  const byOwner = (at: Date) => requestAt(loading, demoOwner, at);
  for (const { id: name, scope, createdDaysAgo, revokedDaysAgo, ...client } of clients) {
    const ctx = byOwner(workTime(ago(createdDaysAgo), name));
    await createClient(ctx, { ...client, account: platformAccount, name, scopes: scope.split(' ') });
    if (revokedDaysAgo !== undefined) await revokeClient(byOwner(ago(revokedDaysAgo)), { name });
  }
  const grants = ['authorization_code', 'refresh_token'] as const;
  for (const { id: name, displayName, redirectUri, scope, users } of programs) {
    const program = {
      name,
      displayName,
      grants,
      redirectUris: [redirectUri],
      scopes: scope.split(' '),
      isPublic: true,
    };
    await createClient(byOwner(ago(90)), program);
    await tx.oauthConsent.createMany({
      data: users.map((user) => ({
        clientId: name,
        principalId: idOf(user.name),
        accountId: idOf(platformAccount),
        scope,
        givenAt: workTime(ago(user.givenDaysAgo), `${name} ${user.name}`),
      })),
    });
  }
}
