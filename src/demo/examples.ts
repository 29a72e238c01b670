import type { GraphiqlExamples } from '../context.js';
import { mainWorkspace } from './company.js';

/** What GraphiQL's examples look at in the demo. */
export const demoExamples: Omit<GraphiqlExamples, 'key'> = {
  workspace: mainWorkspace,
  agent: 'customs-classifier',
  search: 'invoice',
  account: 'meridian-freight',
};
