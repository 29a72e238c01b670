// Which changes somebody wants, as the feed, the watch and webhooks are told it.
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { TimeFilter } from '../filter-argument.js';
import { decodeGlobalId } from '../global-id.js';
import type { ChangeFilter } from '../../../changes/change-filter.js';
import { allKinds, changeSubjects, changeVerbs } from '../../../changes/change-words.js';

export const KindEnum = builder.enumType('ChangeKind', {
  description: 'What a change can be about.',
  values: Object.fromEntries(
    allKinds.map((kind) => [kind, { value: kind, description: changeSubjects[kind].description }]),
  ),
});

export const VerbEnum = builder.enumType('ChangeVerb', {
  description: 'What was done.',
  values: enumValues(changeVerbs),
});

export const ChangeFilterInput = builder.inputType('ChangeFilter', {
  description: 'Which changes. All that is given has to be met; of a list, one. A list has at most 100 values.',
  fields: (t) => ({
    kinds: t.field({ type: [KindEnum], description: 'What was changed is of one of these kinds.' }),
    verbs: t.field({ type: [VerbEnum], description: 'One of these was done.' }),
    names: t.stringList({ description: 'What was changed had one of these names.' }),
    actors: t.stringList({ description: 'One of these did it, by name.' }),
    clients: t.stringList({ description: 'Through one of these credentials, as `client` tells them.' }),
    addresses: t.stringList({ description: 'From one of these network addresses. For admins of the account alone.' }),
    workspaces: t.stringList({ description: 'In one of these workspaces, by name.' }),
    resource: t.id({ description: 'This was changed, by its global id; it may be gone.' }),
    time: t.field({ type: TimeFilter, description: 'When it was done.' }),
  }),
});

export type FilterValue = typeof ChangeFilterInput.$inferInput;

export function filterFromInput(given: FilterValue | null | undefined): ChangeFilter | undefined {
  if (given == null) return undefined;
  const { resource, ...filter } = given;
  return { ...filter, resourceId: resource == null ? undefined : decodeGlobalId(resource, 'filter.resource').id };
}

export const changeFilterArgument = builder.args((t) => ({
  filter: t.field({ type: ChangeFilterInput, description: 'Which changes; all within reach unless it is given.' }),
}));
