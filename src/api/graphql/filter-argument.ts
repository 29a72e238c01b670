// The `filter` argument of a list, built from the filter criteria of the resource kind.
import type { InputFieldBuilder } from '@pothos/core';
import { filterBranchesMax } from '../../store/read/filter.js';
import type { Criteria } from '../../store/read/filter.js';
import type { Criterion } from '../../store/read/criterion.js';
import { builder } from './builder.js';
import { enumTypeOf } from './shape-type.js';

type Types = (typeof builder)['$inferSchemaTypes'];
type Fields = InputFieldBuilder<Types, 'InputObject'>;

const NameFilter = builder.inputType('NameFilter', {
  description: 'A condition on a name. All given conditions must match.',
  fields: (t) => ({
    in: t.stringList({ description: 'Matches if the name is one of these (at most 100).' }),
    startsWith: t.string({ description: 'Matches if the name starts with this text.' }),
  }),
});

export const TimeFilter = builder.inputType('TimeFilter', {
  description: 'A time range. An event that has not happened matches no range.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Start of the range, inclusive.' }),
    to: t.field({ type: 'DateTime', description: 'End of the range, exclusive.' }),
  }),
});

const LabelFilter = builder.inputType('LabelFilter', {
  description: 'A condition on a label. With only a key, the label must exist.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the label.' }),
    in: t.stringList({ description: 'Matches if the value is one of these (at most 100).' }),
    exists: t.boolean({ description: 'True: the label must exist. False: the label must not exist.' }),
  }),
});

/**
 * The filter argument of the lists of a resource kind.
 *
 * @param name the GraphQL type of the resource kind.
 */
export function filterArgument(name: string, criteria: Criteria) {
  const own = (t: Fields) =>
    Object.fromEntries(Object.entries(criteria).map(([field, criterion]) => [field, inputField(t, criterion)]));
  const Alternative = builder.inputType(`${name}Criteria`, {
    description: 'Filter conditions, all of which must match.',
    fields: own,
  });
  const Filter = builder.inputType(`${name}Filter`, {
    description: 'Filter conditions, all of which must match.',
    fields: (t) => ({
      ...own(t),
      and: t.field({
        type: [Alternative],
        description: `Additional criteria, all of which must match (at most ${filterBranchesMax}).`,
      }),
      or: t.field({
        type: [Alternative],
        description: `Additional criteria, at least one of which must match (at most ${filterBranchesMax}).`,
      }),
      not: t.field({ type: Alternative, description: 'Criteria that must not match. A missing value equals nothing.' }),
    }),
  });
  return builder.args((t) => ({
    filter: t.field({
      type: Filter,
      description: 'Filter of the list (default: all items). A cursor is valid only for the same filter.',
    }),
  }));
}

function inputField(t: Fields, { form, description }: Criterion) {
  switch (form.is) {
    case 'texts':
      return t.stringList({ description });
    case 'words':
      return t.field({ type: [enumTypeOf(form.words)], description });
    case 'name':
      return t.field({ type: NameFilter, description });
    case 'times':
      return t.field({ type: TimeFilter, description });
    case 'labels':
      return t.field({ type: [LabelFilter], description });
    case 'boolean':
      return t.boolean({ description });
  }
}
