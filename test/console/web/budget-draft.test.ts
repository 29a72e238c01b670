import { describe, expect, it } from 'vitest';
import { emptyDraft, stopProblem, termsOf } from '../../../src/console/web/budgets/budget-draft.js';
import type { BudgetDraft } from '../../../src/console/web/budgets/budget-draft.js';

const stopping: BudgetDraft = { ...emptyDraft, name: 'limit', amount: '100', action: 'STOP' };

const narrowings: [what: string, part: Partial<BudgetDraft>][] = [
  ['a resource type', { resourceType: 'agent' }],
  ['a resource', { resourceName: 'customs-triage' }],
  ['a label', { labels: [{ key: 'team', test: 'SET', values: '' }] }],
  ['a billing dimension or an instance, which the form does not show', { isNarrower: true }],
];

describe('A budget that stops deployments', () => {
  it.each(narrowings)('cannot count only %s', (_what, part) => {
    const problem = stopProblem({ ...stopping, ...part });
    expect(problem).toContain('Only a budget of all usage');
    expect(termsOf({ ...stopping, ...part })).toEqual({ problem: expect.stringContaining(problem ?? '') });
    expect(termsOf({ ...stopping, ...part, action: 'NOTIFY' })).toMatchObject({ action: 'NOTIFY' });
  });

  it('can count a workspace, and ignores a condition that is not filled in', () => {
    const draft: BudgetDraft = { ...stopping, workspace: 'production', labels: [{ key: ' ', test: 'IN', values: '' }] };
    expect(stopProblem(draft)).toBeUndefined();
    expect(termsOf(draft)).toMatchObject({ action: 'STOP', labels: [] });
  });
});
