// The example queries that GraphiQL opens with. Their texts are the files of queries/.
import { readFileSync } from 'node:fs';
import type { GraphiqlTab } from './graphiql-page.js';

/** Values that the demo fills into the example queries. */
export interface GraphiqlExamples {
  /** API key that the page sends. */
  key?: string;
  /** Name of the user whom the sign-in page signs in with one click. */
  user?: string;
  /** Name of the workspace that the examples query. */
  workspace?: string;
  /** Name of an agent in it. */
  agent?: string;
  /** Name of an enabled job in it. */
  job?: string;
  /** Text in the names or labels of some of its agents. */
  search?: string;
  /** Name of the account whose usage is recorded. */
  account?: string;
}

const dayMs = 86_400_000;

/**
 * Returns the tabs that GraphiQL opens with. Values that are not given appear as placeholders in the variables. The first
 * tab has no variables, as `GraphiqlOptions.tabs` requires.
 *
 * @param now the end of the day of the examples' time windows.
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
  const filter = { status: { in: ['FAILED', 'DEACTIVATED'] }, labels: [{ key: 'tier', in: ['gold', 'silver'] }] };
  const event = {
    source: 'graphiql',
    id: '1',
    account: subjects.account ?? '<name of an account>',
    workspace,
    resourceType: 'sandbox',
    resourceName: 'try-out',
    billingDimension: 'sandbox_compute_runtime_gbs',
    time: now.toISOString(),
    usage: '7200.5',
    cost: '0.08280575',
  };
  const dimension = { name: 'model_tokens', unit: 'tokens', resourceTypes: ['agent', 'model'], validateOnly: true };
  const spec = { runtime: { generation: 'MK3', memory: 2048, envs: [{ name: 'MODE', value: 'fast' }] } };
  return [
    { query: queryText('who-am-i') },
    { query: queryText('newest-agents'), variables: variablesText({ workspace, first: 20 }) },
    { query: queryText('search-agents'), variables: variablesText({ workspace, search, first: 10, after: null }) },
    { query: queryText('one-agent'), variables: variablesText({ workspace, name: agent }) },
    { query: queryText('filtered-agents'), variables: variablesText({ workspace, filter, first: 10 }) },
    { query: queryText('counted-workspaces'), variables: variablesText({ label: 'team' }) },
    { query: queryText('workspace-overview'), variables: variablesText({ workspace }) },
    { query: queryText('dashboard'), variables: variablesText({ rows: 5, few: 2 }) },
    { query: queryText('monthly-bill'), variables: variablesText(window) },
    { query: queryText('most-expensive-resources'), variables: variablesText(window) },
    {
      query: queryText('cost-beside-agents'),
      variables: variablesText({ workspace, first: 10, ...ofWeek, timeZone: 'Europe/Berlin' }),
    },
    {
      query: queryText('most-expensive-agents'),
      variables: variablesText({ workspace, first: 5, after: null, search: null, ...window }),
    },
    { query: queryText('record-usage'), variables: variablesText({ events: [event] }) },
    { query: queryText('billing-dimensions'), variables: variablesText({ dimension }) },
    {
      query: queryText('agent-changes'),
      variables: variablesText({ workspace, agent: 'graphiql-try-out', spec, ifVersion: 1 }),
    },
    { query: queryText('job-run'), variables: variablesText({ workspace, job, execution: '<id of an execution>' }) },
    {
      query: queryText('follow-changes'),
      variables: variablesText({ first: 50, after: null, filter: { workspaces: [workspace] } }),
    },
    { query: queryText('image-shares'), variables: variablesText({ workspace, share: '<id of a share>' }) },
    { query: queryText('regions') },
  ];
}

function queryText(name: string): string {
  return readFileSync(new URL(`queries/${name}.graphql`, import.meta.url), 'utf8');
}

function variablesText(variables: Record<string, unknown>): string {
  return JSON.stringify(variables, null, 2);
}
