import type { GraphiqlExamples } from '../api/graphiql/graphiql-examples.js';
import { mainWorkspace } from './company.js';

/** The resources that the GraphiQL examples show in the demo. */
export const demoExamples: Omit<GraphiqlExamples, 'key'> = {
  workspace: mainWorkspace,
  agent: 'customs-classifier',
  job: 'invoice-export',
  search: 'invoice',
  account: 'meridian-freight',
};
