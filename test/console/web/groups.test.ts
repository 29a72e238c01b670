import { expect, it } from 'vitest';
import { labelFilterOf, labelFilterText } from '../../../src/console/web/lists/label-filter.js';
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
  expect(filtersOf(group({ resource_type: 'agent' }), {}, true)).toEqual({ type: 'agent', by: ['resource_name'] });
  expect(filtersOf(group({ workspace: 'production' }), {}, true)).toEqual({
    workspace: 'production',
    by: ['resource_type'],
  });
  expect(filtersOf(group({ resource_type: 'agent', resource_name: 'triage' }, 'production'), {}, true)).toEqual({
    type: 'agent',
    name: 'triage',
    by: ['billing_dimension'],
  });
});

it('separates the workspaces of a resource name only for admins, who see several', () => {
  expect(filtersOf(group({ resource_name: 'triage' }), {}, true).by).toEqual(['workspace', 'resource_name']);
  expect(filtersOf(group({ resource_name: 'triage' }), {}, false).by).toEqual(['billing_dimension']);
});

it('keeps conditions on labels, and adds that of a group', () => {
  const search = { label: ['env:prod'] };
  expect(filtersOf(group({ 'label:team': '=search' }), search, true)).toEqual({
    label: ['env:prod', 'team:search'],
    by: ['resource_name'],
  });
  // Usage without the label differs from the empty value.
  expect(filtersOf(group({ 'label:team': '' }), {}, true).label).toEqual(['!team']);
  expect(filtersOf(group({ 'label:team': '=' }), {}, true).label).toEqual(['team:']);
});

it('reads any key and value of a label back from the URL', () => {
  for (const key of ['team', 'a:b', '!x', '100%', '%3A', 'ünï']) {
    for (const value of ['v', 'a:b', '', '!']) {
      expect(labelFilterOf(labelFilterText(key, value))).toEqual({ key, in: [value] });
    }
    expect(labelFilterOf(labelFilterText(key, undefined))).toEqual({ key, isSet: false });
  }
  expect(labelFilterOf('team')).toEqual({ key: 'team', isSet: true });
});
