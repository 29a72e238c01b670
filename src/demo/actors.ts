// Who changes the resources of the demo: people in the console, the deploy pipeline with its API key, and the data plane.
import { consoleClientId } from '../auth/grants/oauth-client.js';
import type { ChangingRequest } from '../changes/record-changes.js';
import type { Reporter } from '../lifecycle/record-status.js';
import {
  costDashboard,
  demoAccounts,
  demoOperator,
  demoOwner,
  mainWorkspace,
  pipeline,
  researchLead,
  tidewaterOwner,
  tidewaterWorkspace,
} from './company.js';
import type { DemoPrincipal } from './company.js';
import { idOf } from './random.js';
import type { Random } from './random.js';
import { isAtWork } from './times.js';
import type { Lived } from './times.js';

/** The name of the executor that the demo starts. */
export const dataPlane = 'demo-data-plane';

interface Deployers {
  people: readonly [string, ...string[]];
  /** Deploys at any hour. */
  program?: string;
}

const staff: Readonly<Record<string, Deployers>> = {
  [mainWorkspace]: { people: [demoOperator, demoOwner], program: pipeline },
  'meridian-staging': { people: [demoOperator, demoOwner], program: pipeline },
  'meridian-research': { people: [researchLead, researchLead, demoOwner] },
  'meridian-emea-edge': { people: [demoOwner], program: pipeline },
  [tidewaterWorkspace]: { people: [tidewaterOwner] },
};

function staffOf(workspace: string): Deployers {
  return staff[workspace] ?? { people: [demoOwner] };
}

/** Who deploys in a workspace at a time: only members, and people only while they are at work. */
export function deployerAt(random: Random, workspace: string, at: Date): string {
  const { people, program } = staffOf(workspace);
  const isProgram = random.percent(60) || !isAtWork(at);
  return isProgram && program !== undefined ? program : random.pick(people);
}

/** States that people cause. */
const manual = new Set(['DEACTIVATED', 'DEACTIVATING', 'DELETING']);

/** The metadata fields for creation and update. @param status decides whether a person made the last update */
export function madeBy(random: Random, workspace: string, { createdAt, updatedAt }: Lived, status = '') {
  const createdBy = deployerAt(random, workspace, createdAt);
  const person = random.pick(staffOf(workspace).people);
  const updater = manual.has(status) ? person : deployerAt(random, workspace, updatedAt);
  return {
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    createdBy,
    updatedBy: updatedAt.getTime() === createdAt.getTime() ? createdBy : updater,
  };
}

/** Addresses reserved for documentation (RFC 5737). */
const addresses: Readonly<Record<string, string>> = {
  [demoOwner]: '203.0.113.17',
  [demoOperator]: '203.0.113.42',
  [researchLead]: '203.0.113.63',
  [pipeline]: '198.51.100.24',
  [costDashboard]: '198.51.100.31',
  [tidewaterOwner]: '192.0.2.11',
};

const principals = new Map(demoAccounts.flatMap((account) => account.principals).map((each) => [each.name, each]));

export function principalNamed(name: string): DemoPrincipal {
  const principal = principals.get(name);
  if (principal === undefined) throw new Error(`The demo has no user or service account ${name}.`);
  return principal;
}

export function addressOf(actor: string): string {
  return addresses[actor] ?? '203.0.113.1';
}

/** The name of the key with which a service account works. */
export const programKeys: Readonly<Record<string, string>> = {
  [pipeline]: 'github-actions',
  [costDashboard]: 'cost-dashboard',
};

/**
 * A request of an actor: people use the console, programs the API with their key, by its name.
 *
 * @param seed is different for each request.
 */
export function requestBy(actor: string, at: Date, seed: string): ChangingRequest {
  const { kind } = principalNamed(actor);
  const key = programKeys[actor];
  return {
    caller: {
      principal: { id: idOf(actor), kind, name: actor },
      credential:
        key === undefined ? { kind: 'access_token', label: consoleClientId } : { kind: 'api_key', label: key },
    },
    requestId: idOf(`request ${seed}`),
    clientAddress: addressOf(actor),
    api: 'graphql',
    now: () => at,
  };
}

/** A report of the data plane. */
export function reportAt(at: Date, seed: string): Reporter {
  return {
    executor: { id: idOf(`executor ${dataPlane}`), name: dataPlane },
    now: at,
    requestId: idOf(`report ${seed}`),
  };
}
