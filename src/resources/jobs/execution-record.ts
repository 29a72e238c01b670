import type { Execution, WholeExecution } from './execution.js';
import { executionFromRow } from './execution.js';

/** The change record of an execution, which contains its tasks only once. */
export function executionRecord(found: WholeExecution): Omit<Execution, 'spec'> & { spec: object } {
  const { spec, ...execution } = executionFromRow(found);
  const { tasks: _, ...own } = spec;
  return { ...execution, spec: own };
}
