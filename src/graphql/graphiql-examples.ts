import type { GraphiqlTab } from './graphiql-page.js';
import {
  dashboard,
  imageShares,
  newestAgents,
  oneAgent,
  regionList,
  searchAgents,
  whoAmI,
} from './graphiql-queries.js';

interface ExampleSubjects {
  /** Name of the workspace that the examples look into. */
  workspace?: string;
  /** Name of an agent in it. */
  agent?: string;
  /** Text that some of its agents have in their names or labels. */
  search?: string;
}

/**
 * The queries that GraphiQL opens with. What is not given stands in the variables as a place to fill in. The
 * first has no variables, as `GraphiqlOptions.tabs` asks.
 */
export function exampleQueries(subjects: ExampleSubjects = {}): GraphiqlTab[] {
  const workspace = subjects.workspace ?? '<name of a workspace>';
  const agent = subjects.agent ?? '<name of an agent>';
  const search = subjects.search ?? 'prod';
  return [
    { query: whoAmI },
    { query: newestAgents, variables: variablesText({ workspace, first: 20 }) },
    { query: searchAgents, variables: variablesText({ workspace, search, first: 10, after: null }) },
    { query: oneAgent, variables: variablesText({ workspace, name: agent }) },
    { query: dashboard, variables: variablesText({ rows: 5, few: 2 }) },
    { query: imageShares, variables: variablesText({ workspace, share: '<id of a share>' }) },
    { query: regionList },
  ];
}

function variablesText(variables: Record<string, string | number | null>): string {
  return JSON.stringify(variables, null, 2);
}
