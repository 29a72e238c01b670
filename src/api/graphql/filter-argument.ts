// The `filter` argument of a list, made from what its kind can be filtered by.
import type { InputFieldBuilder } from '@pothos/core';
import { filterBranchesMax } from '../../store/read/filter.js';
import type { Criteria } from '../../store/read/filter.js';
import type { Criterion } from '../../store/read/criterion.js';
import { builder } from './builder.js';
import { enumTypeOf } from './shape-type.js';

type Types = (typeof builder)['$inferSchemaTypes'];
type Fields = InputFieldBuilder<Types, 'InputObject'>;

const NameFilter = builder.inputType('NameFilter', {
  description: 'What a name is like. All that is given has to be met.',
  fields: (t) => ({
    in: t.stringList({ description: 'It is one of these; at most 100.' }),
    startsWith: t.string({ description: 'It starts with this.' }),
  }),
});

export const TimeFilter = builder.inputType('TimeFilter', {
  description: 'When something happened. What has not happened is in no range.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'At this time, or later.' }),
    to: t.field({ type: 'DateTime', description: 'Before this time.' }),
  }),
});

const LabelFilter = builder.inputType('LabelFilter', {
  description: 'What a label is like. With the key alone it has to be there.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the label.' }),
    in: t.stringList({ description: 'Its value is one of these; at most 100.' }),
    exists: t.boolean({ description: 'Whether it is there.' }),
  }),
});

/**
 * The argument of a kind's lists.
 *
 * @param name the GraphQL type of the kind.
 */
export function filterArgument(name: string, criteria: Criteria) {
  const own = (t: Fields) =>
    Object.fromEntries(Object.entries(criteria).map(([field, criterion]) => [field, inputField(t, criterion)]));
  const Alternative = builder.inputType(`${name}Criteria`, {
    description: 'All that is given has to be met.',
    fields: own,
  });
  const Filter = builder.inputType(`${name}Filter`, {
    description: 'All that is given has to be met.',
    fields: (t) => ({
      ...own(t),
      and: t.field({ type: [Alternative], description: `All of these too; at most ${filterBranchesMax}.` }),
      or: t.field({ type: [Alternative], description: `At least one of these too; at most ${filterBranchesMax}.` }),
      not: t.field({ type: Alternative, description: 'And not all of this. What is absent is not equal to anything.' }),
    }),
  });
  return builder.args((t) => ({
    filter: t.field({ type: Filter, description: 'Which of them; all unless it is given. Bound into cursors.' }),
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
