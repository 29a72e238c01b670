// The filter on changes that the change feed, subscriptions and webhooks share.
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { TimeFilter } from '../filter-argument.js';
import { decodeGlobalId } from '../global-id.js';
import type { ChangeFilter } from '../../../changes/change-filter.js';
import { allKinds, changeSubjects, changeActions } from '../../../changes/change-subjects.js';

export const KindEnum = builder.enumType('ChangeKind', {
  description: 'The kind of item that a change is about.',
  values: Object.fromEntries(
    allKinds.map((kind) => [kind, { value: kind, description: changeSubjects[kind].description }]),
  ),
});

export const ActionEnum = builder.enumType('ChangeAction', {
  description: 'The action of a change.',
  values: enumValues(changeActions),
});

export const ChangeFilterInput = builder.inputType('ChangeFilter', {
  description:
    'A filter on changes. A change matches if it meets all given conditions, and one value of each list (at most 100 ' +
    'values per list).',
  fields: (t) => ({
    kinds: t.field({ type: [KindEnum], description: 'Matches changes of one of these kinds.' }),
    actions: t.field({ type: [ActionEnum], description: 'Matches changes with one of these actions.' }),
    names: t.stringList({ description: 'Matches changes of items that had one of these names.' }),
    actors: t.stringList({ description: 'Matches changes by one of these actors (names).' }),
    clients: t.stringList({
      description: 'Matches changes made with one of these credentials, in the format of `Change.client`.',
    }),
    addresses: t.stringList({
      description: 'Matches changes made from one of these IP addresses. Only for admins of the account.',
    }),
    workspaces: t.stringList({ description: 'Matches changes in one of these workspaces (names).' }),
    resource: t.id({
      description: 'Global ID of a resource, which may be deleted. Matches only changes of this resource.',
    }),
    time: t.field({ type: TimeFilter, description: 'Time range of the changes.' }),
  }),
});

export type FilterValue = typeof ChangeFilterInput.$inferInput;

export function filterFromInput(input: FilterValue | null | undefined): ChangeFilter | undefined {
  if (input == null) return undefined;
  const { resource, ...filter } = input;
  return { ...filter, resourceId: resource == null ? undefined : decodeGlobalId(resource, 'filter.resource').id };
}

export const changeFilterArgument = builder.args((t) => ({
  filter: t.field({
    type: ChangeFilterInput,
    description: 'The changes to return (default: all changes that the caller can access).',
  }),
}));
