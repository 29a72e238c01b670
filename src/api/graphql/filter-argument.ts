// The `filter` argument of a list, built from the filter criteria of the resource kind.
import type { InputRef } from '@pothos/core';
import type { ZodEnum } from 'zod';
import { filterBranchesMax, filterDepthMax, filterItemsMax } from '../../store/read/filter.js';
import type { Criteria } from '../../store/read/filter.js';
import type { Criterion } from '../../store/read/criterion.js';
import { builder } from './builder.js';
import type { InputFields } from './builder.js';
import { enumTypeOf } from './shape-type.js';

const inText = 'Matches if the value is one of these (at most 100).';
const isSetText = 'True: the value must be present. False: it must be absent.';

const textFields = (t: InputFields) => ({
  in: t.stringList({ description: inText }),
  startsWith: t.string({ description: 'Matches if the value starts with this text. Case-sensitive.' }),
  contains: t.string({ description: 'Matches if the value contains this text. Case-sensitive.' }),
});

const NameFilter = builder.inputType('NameFilter', {
  description: 'A condition on a name. All given conditions must match.',
  fields: textFields,
});

const TextFilter = builder.inputType('TextFilter', {
  description: 'A condition on a text that can be absent. All given conditions must match.',
  fields: (t) => ({ ...textFields(t), isSet: t.boolean({ description: isSetText }) }),
});

const timeFields = (t: InputFields) => ({
  from: t.field({ type: 'DateTime', description: 'Start of the range, inclusive.' }),
  to: t.field({ type: 'DateTime', description: 'End of the range, exclusive.' }),
});

export const TimeFilter = builder.inputType('TimeFilter', { description: 'A time range.', fields: timeFields });

const OptionalTimeFilter = builder.inputType('OptionalTimeFilter', {
  description: 'A condition on a time that can be absent. An absent time matches no range.',
  fields: (t) => ({ ...timeFields(t), isSet: t.boolean({ description: isSetText }) }),
});

export const LabelFilter = builder.inputType('LabelFilter', {
  description: 'A condition on a label. With only a key, the label must be present.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the label.' }),
    in: t.stringList({ description: inText }),
    isSet: t.boolean({ description: 'True: the label must be present. False: it must be absent.' }),
  }),
});

/**
 * The filter argument of the lists of a resource kind.
 *
 * @param name the GraphQL type of the resource kind.
 */
export function filterArgument(name: string, criteria: Criteria) {
  const Filter = builder.inputRef<object>(`${name}Filter`);
  Filter.implement({
    description:
      'A filter. All given conditions must match. `and`, `or` and `not` can be nested up to ' +
      `${filterDepthMax} deep; a filter has at most ${filterItemsMax} values and nested filters.`,
    fields: (t) => ({
      ...Object.fromEntries(Object.entries(criteria).map(([field, criterion]) => [field, inputField(t, criterion)])),
      and: t.field({ type: [Filter], description: `Filters that must all match (at most ${filterBranchesMax}).` }),
      or: t.field({
        type: [Filter],
        description: `Filters of which at least one must match (at most ${filterBranchesMax}).`,
      }),
      not: t.field({
        type: Filter,
        description: 'A filter that must not match. An absent value matches no condition.',
      }),
    }),
  });
  return builder.args((t) => ({
    filter: t.field({
      type: Filter,
      description: 'Filter of the list (default: all items). A cursor is valid only for the same filter.',
    }),
  }));
}

const enumFilters = new Map<string, InputRef<object>>();

/** The filter type of an enum: one of some of its values. */
function enumFilter(words: ZodEnum, isOptional: boolean): InputRef<object> {
  const Enum = enumTypeOf(words);
  const name = `${isOptional ? 'Optional' : ''}${Enum.name}Filter`;
  const known = enumFilters.get(name);
  if (known !== undefined) return known;
  const Filter = builder.inputRef<object>(name);
  Filter.implement({
    description: isOptional
      ? 'A condition on a value that can be absent. All given conditions must match.'
      : 'A condition on a value.',
    fields: (t) => ({
      in: t.field({ type: [Enum], description: inText }),
      ...(isOptional ? { isSet: t.boolean({ description: isSetText }) } : {}),
    }),
  });
  enumFilters.set(name, Filter);
  return Filter;
}

function inputField(t: InputFields, { form, description }: Criterion) {
  switch (form.is) {
    case 'texts':
      return t.stringList({ description });
    case 'words':
      return t.field({ type: [enumTypeOf(form.words)], description });
    case 'word':
      return t.field({ type: enumFilter(form.words, false), description });
    case 'optionalWord':
      return t.field({ type: enumFilter(form.words, true), description });
    case 'name':
      return t.field({ type: NameFilter, description });
    case 'text':
      return t.field({ type: TextFilter, description });
    case 'time':
      return t.field({ type: TimeFilter, description });
    case 'optionalTime':
      return t.field({ type: OptionalTimeFilter, description });
    case 'labels':
      return t.field({ type: [LabelFilter], description });
    case 'boolean':
      return t.boolean({ description });
  }
}
