import { expect, it } from 'vitest';
import { filtersOf } from '../../../src/console/web/costs/groups.js';
import type { Group } from '../../../src/console/web/costs/groups.js';

const group = (values: Group['values'], workspace?: string): Group => ({
  key: 'key',
  values,
  workspace,
  resourceType: values.resource_type,
  nano: 1n,
  usage: null,
  nanos: [1n],
});

it('filters by the values of a group, and groups by the next dimension', () => {
  expect(filtersOf(group({ resource_type: 'agent' }), true)).toEqual({ type: 'agent', by: ['resource_name'] });
  expect(filtersOf(group({ workspace: 'production' }), true)).toEqual({
    workspace: 'production',
    by: ['resource_type'],
  });
  expect(filtersOf(group({ resource_type: 'agent', resource_name: 'triage' }, 'production'), true)).toEqual({
    type: 'agent',
    name: 'triage',
    by: ['billing_dimension'],
  });
});

it('separates the workspaces of a resource name only for admins, who see several', () => {
  expect(filtersOf(group({ resource_name: 'triage' }), true).by).toEqual(['workspace', 'resource_name']);
  expect(filtersOf(group({ resource_name: 'triage' }), false).by).toEqual(['billing_dimension']);
});
