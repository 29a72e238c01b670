// All views of the console with their tested states.
import { demoOwner, mainWorkspace } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { checkBudgets } from '../../src/billing/check-budgets.js';
import { createKey, graphql } from '../harness.js';
import type { TestApp } from '../harness.js';

const account = 'meridian-freight';

/** The tested states of each view, by name. */
export const addresses: Record<string, Record<string, string>> = {
  '/': { home: '/' },
  '/w/$workspace': { overview: '/w/{main}' },
  '/w/$workspace/$kind': {
    agents: '/w/{main}/agents',
    'no agent of a name': '/w/{main}/agents?q=nothing-is-called-so',
    'failed agents with their reasons': '/w/{main}/agents?state=failed',
    'no agents with several filters': '/w/{main}/agents?state=failed&region=nowhere&label=["team:none"]',
    jobs: '/w/{main}/jobs',
    'a list with an open resource': '/w/{main}/sandboxes?peek=claims-notebook',
  },
  '/w/$workspace/$kind/$name': {
    agent: '/w/{main}/agents/customs-triage',
    sandbox: '/w/{main}/sandboxes/claims-notebook',
    job: '/w/{main}/jobs/invoice-export',
    volume: '/w/{main}/volumes/{volume}',
    network: '/w/{main}/networks/{network}',
    'an agent that is not there': '/w/{main}/agents/nobody',
    'configuration of an agent': '/w/{main}/agents/customs-triage/configuration',
    'activity of an agent': '/w/{main}/agents/customs-triage/activity',
    'costs of an agent': '/w/{main}/agents/customs-triage/costs',
    'manifest of an agent': '/w/{main}/agents/customs-triage/yaml',
    'executions of a job': '/w/{main}/jobs/invoice-export/executions',
  },
  '/w/$workspace/jobs/$name/executions/$id': { execution: '/w/{main}/jobs/{job}/executions/{execution}' },
  '/w/$workspace/images': { images: '/w/{main}/images' },
  '/w/$workspace/images/$type/$name': {
    image: '/w/{main}/images/{type}/{image}',
    'tags of an image': '/w/{main}/images/{type}/{image}/tags',
    'shares of an image': '/w/{main}/images/{type}/{image}/shares',
    'activity of an image': '/w/{main}/images/{type}/{image}/activity',
  },
  '/w/$workspace/shares': { shares: '/w/{main}/shares' },
  '/w/$workspace/activity': { activity: '/w/{main}/activity', 'deleted by nobody': '/w/{main}/activity?actor=nobody' },
  '/a/$account/activity': { 'account activity': '/a/{account}/activity' },
  '/a/$account/costs': {
    costs: '/a/{account}/costs?from=2026-11-01T00:00:00.000Z&to=2026-11-20T00:00:00.000Z&compare=true',
    'costs of others': '/a/tidewater/costs',
    'costs of a resource':
      '/a/{account}/costs?from=2026-11-01T00:00:00.000Z&to=2026-11-08T00:00:00.000Z&name=customs-triage',
  },
  '/a/$account/usage': { 'usage events': '/a/{account}/usage', 'no usage events': '/a/{account}/usage?name=nobody' },
  '/a/$account/quotas': { quotas: '/a/{account}/quotas' },
  '/a/$account/budgets': { budgets: '/a/{account}/budgets' },
  '/a/$account/access': { 'API keys': '/a/{account}/access' },
  '/a/$account/clients': { 'OAuth clients': '/a/{account}/clients' },
  '/a/$account/single-sign-on': { 'single sign-on': '/a/{account}/single-sign-on' },
  '/a/$account/settings': { account: '/a/{account}/settings' },
  '/a/$account/members': { members: '/a/{account}/members', 'members of a role': '/a/{account}/members?role=viewer' },
  '/a/$account/members/$name': { 'a member': '/a/{account}/members/{owner}' },
  '/a/$account/webhooks': { webhooks: '/a/{account}/webhooks' },
  '/a/$account/webhooks/$id': { webhook: '/a/{account}/webhooks/{webhook}' },
  '/a/$account/workspaces': { workspaces: '/a/{account}/workspaces' },
  '/profile': { 'own access': '/profile' },
  '/platform': { platform: '/platform' },
};

/** Fills a list with what the views show, and returns the names in their addresses. */
export async function prepareViews(app: TestApp): Promise<Map<string, string>> {
  const names = new Map<string, string>([
    ['main', mainWorkspace],
    ['account', account],
    ['owner', demoOwner],
  ]);
  const { db } = app.services;
  const where = { workspaceId: idOf(mainWorkspace) };
  const [volume, network, execution, image] = await Promise.all([
    db.volume.findFirstOrThrow({ where }),
    db.vpc.findFirstOrThrow({ where }),
    db.jobExecution.findFirstOrThrow({ where: { job: where, status: 'failed' }, include: { job: true } }),
    db.image.findFirstOrThrow({ where }),
  ]);
  const { key } = await createKey(app, { accountId: idOf(account), principalId: idOf(demoOwner) });
  const make = async (mutation: string) => (await graphql(app, key, `mutation { made: ${mutation} }`)).body;
  const { data } = await make(
    `createWebhook(input: { name: "night shift", url: "https://hooks.example.com/a" }) { ... on CreateWebhookPayload { webhook { id } } }`,
  );
  await make(`createOauthClient(input: { name: "rate-board", scopes: ["metrics:read"] }) { __typename }`);
  await make(`createBudget(input: { account: "${account}", name: "all-of-it", amount: "2000", period: MONTHLY,
    thresholds: [{ percent: 80, measure: ACTUAL }, { percent: 100, measure: FORECAST }] }) { __typename }`);
  await make(`createBudget(input: { account: "${account}", name: "agents", amount: "9.5", period: ROLLING, days: 14,
    resourceType: "agent", workspace: "${mainWorkspace}", thresholds: [{ percent: 50, measure: ACTUAL }] }) { __typename }`);
  const [clock] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS "now"`;
  const now = clock?.now ?? new Date();
  await checkBudgets(db, app.services.usageMemory, () => now);
  names.set('volume', volume.name).set('network', network.name).set('webhook', data.made.webhook.id);
  names.set('job', execution.job.name).set('execution', execution.id);
  names.set('type', image.resourceType.toLowerCase()).set('image', image.name);
  return names;
}

/** The address of a view with the names that are in the database. */
export function addressOf(address: string, names: ReadonlyMap<string, string>): string {
  return address.replace(/\{(\w+)\}/g, (_all: string, name: string) => names.get(name) ?? name);
}
