// The company of the demo: a freight forwarder whose platform team runs agents for customs, documents, pricing and
// support. A second, small customer shows that tenants are isolated.
import type { Role } from '../auth/caller.js';

export interface DemoPrincipal {
  kind: 'user' | 'service_account';
  name: string;
  displayName: string;
  role: Role;
  /** Roles in workspaces, for members who are not account admins. */
  workspaces: Record<string, Role>;
  /** Since when it is a member, in days before the end of the demo data; since the creation of the account by default. */
  joinedDaysAgo?: number;
}

export interface DemoAccount {
  name: string;
  displayName: string;
  plan: string;
  /** Names of the workspaces; the documents describe them. */
  workspaces: string[];
  principals: DemoPrincipal[];
}

/** The company runs the platform for itself, and has one customer. */
export const platformAccount = 'meridian-freight';
export const mainWorkspace = 'meridian-production';
export const demoOwner = 'ines.carvalho@meridian.example.com';
export const demoOperator = 'tomasz.wrobel@meridian.example.com';
export const researchLead = 'amara.okafor@meridian.example.com';
export const pipeline = 'deploy-pipeline';
export const costDashboard = 'cost-dashboard';
export const tidewaterWorkspace = 'tidewater';
export const tidewaterOwner = 'noor@tidewater.example.com';

export const demoAccounts: DemoAccount[] = [
  {
    name: platformAccount,
    displayName: 'Meridian Freight & Customs',
    plan: 'enterprise',
    workspaces: [mainWorkspace, 'meridian-staging', 'meridian-research', 'meridian-emea-edge'],
    principals: [
      { kind: 'user', name: demoOwner, displayName: 'Inês Carvalho', role: 'admin', workspaces: {} },
      {
        kind: 'user',
        name: demoOperator,
        displayName: 'Tomasz Wróbel',
        role: 'member',
        workspaces: { 'meridian-staging': 'admin', [mainWorkspace]: 'member' },
        joinedDaysAgo: 395,
      },
      {
        kind: 'user',
        name: researchLead,
        displayName: 'Amara Okafor',
        role: 'member',
        workspaces: { 'meridian-research': 'admin' },
        joinedDaysAgo: 392,
      },
      {
        kind: 'service_account',
        name: pipeline,
        displayName: 'Deploy pipeline',
        role: 'member',
        workspaces: { [mainWorkspace]: 'member', 'meridian-staging': 'member', 'meridian-emea-edge': 'member' },
        joinedDaysAgo: 398,
      },
      {
        kind: 'service_account',
        name: costDashboard,
        displayName: 'Cost dashboard (read only)',
        role: 'member',
        workspaces: { [mainWorkspace]: 'member' },
        joinedDaysAgo: 180,
      },
    ],
  },
  {
    name: 'tidewater-labs',
    displayName: 'Tidewater Labs',
    plan: 'starter',
    workspaces: [tidewaterWorkspace],
    principals: [{ kind: 'user', name: tidewaterOwner, displayName: 'Noor Haddad', role: 'admin', workspaces: {} }],
  },
];

/** All workspaces, those of the first account first. */
export const demoWorkspaces = demoAccounts.flatMap(({ workspaces }) => workspaces);

interface Company {
  word: string;
  initials: string;
  domain: string;
}

const meridian: Company = {
  word: 'meridian',
  initials: 'MF',
  domain: 'meridian.example.com',
};

const tidewater: Company = {
  word: 'tidewater',
  initials: 'TL',
  domain: 'tidewater.example.com',
};

/** The account of a workspace. */
export function companyOf(workspace: string): Company {
  return workspace === tidewaterWorkspace ? tidewater : meridian;
}

/** The host name of a workspace, which no other workspace uses. */
export function hostOf(workspace: string): string {
  const { word, domain } = companyOf(workspace);
  return workspace === word ? domain : `${workspace.slice(word.length + 1)}.${domain}`;
}

/** Regions that all accounts can use. */
export const openRegions = [
  'eu-frankfurt-1', 'eu-london-1', 'eu-stockholm-1', 'us-ashburn-1', 'us-portland-1', 'us-dallas-1', 'ca-toronto-1',
  'sa-saopaulo-1', 'ap-singapore-1', 'ap-tokyo-1', 'ap-mumbai-1', 'ap-sydney-1',
] as const; // prettier-ignore

/** Regions that only some accounts or none can use, and their names. */
export const restrictedRegions = { 'me-dubai-1': ['meridian-freight'], 'af-capetown-1': [] } as const;

type Region = (typeof openRegions)[number] | keyof typeof restrictedRegions;

export const regions: readonly Region[] = [...openRegions, 'me-dubai-1', 'af-capetown-1'];

/** The accounts that can use a restricted region. */
export function accountsOf(region: Region): readonly string[] | undefined {
  const restricted: { readonly [Name in Region]?: readonly string[] } = restrictedRegions;
  return restricted[region];
}

/** The regions that the account of a workspace can use. */
export function regionsOf(workspace: string): readonly [Region, ...Region[]] {
  const account = demoAccounts.find(({ workspaces }) => workspaces.includes(workspace))?.name ?? '';
  return [...openRegions, ...regions.filter((region) => accountsOf(region)?.includes(account) === true)];
}

/** The subjects of agents in a larger fleet: the first part of their names, and the team that owns them. */
export const subjects = [
  { word: 'customs', title: 'Customs', team: 'border-crossing' },
  { word: 'invoice', title: 'Invoice', team: 'billing' },
  { word: 'bill-of-lading', title: 'Bill of lading', team: 'documents' },
  { word: 'container', title: 'Container', team: 'yard' },
  { word: 'route', title: 'Route', team: 'planning' },
  { word: 'carrier', title: 'Carrier', team: 'procurement' },
  { word: 'claims', title: 'Claims', team: 'risk' },
  { word: 'tariff', title: 'Tariff', team: 'border-crossing' },
  { word: 'warehouse', title: 'Warehouse', team: 'yard' },
  { word: 'demurrage', title: 'Demurrage', team: 'billing' },
  { word: 'support', title: 'Support', team: 'customer-care' },
  { word: 'rate-card', title: 'Rate card', team: 'procurement' },
  { word: 'dangerous-goods', title: 'Dangerous goods', team: 'risk' },
  { word: 'port-call', title: 'Port call', team: 'planning' },
  { word: 'crew', title: 'Crew', team: 'people' },
] as const;

/** The tasks of these agents: the second part of their names. */
export const tasks = [
  { word: 'classifier', title: 'classifier' },
  { word: 'triage', title: 'triage' },
  { word: 'reconciler', title: 'reconciler' },
  { word: 'summarizer', title: 'summarizer' },
  { word: 'watcher', title: 'watcher' },
  { word: 'negotiator', title: 'negotiator' },
  { word: 'planner', title: 'planner' },
  { word: 'auditor', title: 'auditor' },
  { word: 'extractor', title: 'extractor' },
  { word: 'translator', title: 'translator (über 30 Sprachen)' },
  { word: 'forecaster', title: 'forecaster' },
  { word: 'concierge', title: 'concierge' },
] as const;
