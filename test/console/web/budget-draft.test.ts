import { describe, expect, it } from 'vitest';
import { changedTerms, emptyDraft, stopProblem, termsOf } from '../../../src/console/web/budgets/budget-draft.js';
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

describe('The changes of a budget', () => {
  const before: BudgetDraft = {
    ...emptyDraft,
    name: 'limit',
    amount: '100',
    labels: [{ key: 'team', test: 'IN', values: 'ops' }],
  };
  const changesTo = (part: Partial<BudgetDraft>) => {
    const terms = termsOf({ ...before, ...part });
    return 'problem' in terms ? terms : changedTerms(before, terms);
  };

  it('contain only the changed terms, so that concurrent changes of the others are kept', () => {
    expect(changesTo({})).toEqual({});
    expect(changesTo({ amount: '200', ofActual: '80 100' })).toEqual({ amount: '200' });
    expect(changesTo({ labels: [] })).toEqual({ labels: [] });
    expect(changesTo({ workspace: 'production', action: 'NOTIFY' })).toEqual({ workspace: 'production' });
  });

  it('contain the days with the period', () => {
    expect(changesTo({ period: 'ROLLING', days: '7' })).toEqual({ period: 'ROLLING', days: 7 });
  });
});
