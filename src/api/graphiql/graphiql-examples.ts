import { newestAgents, oneAgent, searchAgents } from './graphiql-agent-queries.js';
import { agentChanges, jobRun } from './graphiql-change-queries.js';
import {
  costBesideAgents,
  countedWorkspaces,
  dearestAgents,
  filteredAgents,
  workspaceOverview,
} from './graphiql-dashboard-queries.js';
import { followChanges } from './graphiql-history-queries.js';
import { billedDimensions, dearestResources, monthlyBill, usageRecording } from './graphiql-metrics-queries.js';
import type { GraphiqlTab } from './graphiql-page.js';
import { dashboard, imageShares, regionList, whoAmI } from './graphiql-queries.js';

/** Values that the demo fills into the example queries. */
export interface GraphiqlExamples {
  /** API key that the page sends. */
  key?: string;
  /** Name of the user whom the sign-in page signs in with one click. */
  user?: string;
  /** Name of the workspace that the examples look into. */
  workspace?: string;
  /** Name of an agent in it. */
  agent?: string;
  /** Name of a job in it, which is switched on. */
  job?: string;
  /** Text that some of its agents have in their names or labels. */
  search?: string;
  /** Name of the account whose usage is recorded. */
  account?: string;
}

const dayMs = 86_400_000;

/**
 * The queries that GraphiQL opens with. What is not given stands in the variables as a place to fill in. The
 * first has no variables, as `GraphiqlOptions.tabs` asks.
 *
 * @param now the day after which the windows of the examples end.
 */
export function exampleQueries(now: Date, subjects: GraphiqlExamples = {}): GraphiqlTab[] {
  const workspace = subjects.workspace ?? '<name of a workspace>';
  const agent = subjects.agent ?? '<name of an agent>';
  const job = subjects.job ?? '<name of a job>';
  const search = subjects.search ?? 'prod';
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const window = {
    start: new Date(today - 29 * dayMs).toISOString(),
    end: new Date(today + dayMs).toISOString(),
  };
  const ofWeek = { start: new Date(today - 6 * dayMs).toISOString(), end: window.end };
  const filter = { status: ['FAILED', 'DEACTIVATED'], labels: [{ key: 'tier', in: ['gold', 'silver'] }] };
  const event = {
    source: 'graphiql',
    id: '1',
    account: subjects.account ?? '<name of an account>',
    workspace,
    resourceType: 'sandbox',
    resourceName: 'try-out',
    billingDimension: 'SANDBOX_COMPUTE_RUNTIME_GBS',
    time: now.toISOString(),
    usage: '7200.5',
    cost: '0.08280575',
  };
  const dimension = { name: 'model_tokens', unit: 'tokens', resourceTypes: ['agent', 'model'], validateOnly: true };
  const spec = { runtime: { generation: 'MK3', memory: 2048, envs: [{ name: 'MODE', value: 'fast' }] } };
  return [
    { query: whoAmI },
    { query: newestAgents, variables: variablesText({ workspace, first: 20 }) },
    { query: searchAgents, variables: variablesText({ workspace, search, first: 10, after: null }) },
    { query: oneAgent, variables: variablesText({ workspace, name: agent }) },
    { query: filteredAgents, variables: variablesText({ workspace, filter, first: 10 }) },
    { query: countedWorkspaces, variables: variablesText({ label: 'team' }) },
    { query: workspaceOverview, variables: variablesText({ workspace }) },
    { query: dashboard, variables: variablesText({ rows: 5, few: 2 }) },
    { query: monthlyBill, variables: variablesText(window) },
    { query: dearestResources, variables: variablesText(window) },
    {
      query: costBesideAgents,
      variables: variablesText({ workspace, first: 10, ...ofWeek, timeZone: 'Europe/Berlin' }),
    },
    { query: dearestAgents, variables: variablesText({ workspace, first: 5, after: null, search: null, ...window }) },
    { query: usageRecording, variables: variablesText({ events: [event] }) },
    { query: billedDimensions, variables: variablesText({ dimension }) },
    { query: agentChanges, variables: variablesText({ workspace, agent: 'graphiql-try-out', spec, ifVersion: 1 }) },
    { query: jobRun, variables: variablesText({ workspace, job, execution: '<id of an execution>' }) },
    { query: followChanges, variables: variablesText({ first: 50, after: null, filter: { workspaces: [workspace] } }) },
    { query: imageShares, variables: variablesText({ workspace, share: '<id of a share>' }) },
    { query: regionList },
  ];
}

function variablesText(variables: Record<string, unknown>): string {
  return JSON.stringify(variables, null, 2);
}
