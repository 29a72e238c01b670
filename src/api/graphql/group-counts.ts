// What every field shares that counts a list by something.
import { groupsMax } from '../../store/read/grouping.js';
import type { GroupCount, Grouping } from '../../store/read/grouping.js';
import { builder } from './builder.js';
import { enumValues } from './enums.js';

export const GroupCountType = builder.objectRef<GroupCount>('GroupCount').implement({
  description: 'How many have one value of what they are counted by.',
  fields: (t) => ({
    value: t.exposeString('value', {
      description: 'The value; of closed lists as the filter takes it. Null: those that have none.',
    }),
    count: t.exposeInt('count', { nullable: false, description: 'How many there are.' }),
  }),
});

/** The argument that says by what a kind without labels is counted. @param name the GraphQL type of the kind. */
export function groupByArgument<By extends Grouping>(name: string, words: Readonly<Record<By, string>>) {
  const GroupingEnum = builder.enumType(`${name}Grouping`, {
    description: 'What they are counted by.',
    values: enumValues(words),
  });
  return builder.args((t) => ({
    by: t.field({ type: GroupingEnum, required: true, description: 'What they are counted by.' }),
  }));
}

/** The arguments that say by what a kind with labels is counted. */
export function groupArguments<By extends Grouping>(name: string, words: Readonly<Record<By, string>>) {
  return {
    ...groupByArgument(name, words),
    ...builder.args((t) => ({ label: t.string({ description: 'The key of the label, by LABEL.' }) })),
  };
}

/** What a field that counts says of itself. @param many what it counts. @param scope the one that it needs. */
export function countDescription(many: string, scope: string): string {
  return (
    `How many ${many} there are of each value, the most frequent first: exact, and of at most ${groupsMax} values. ` +
    `Needs the scope ${scope}.`
  );
}

/** A count looks at everything that it counts. */
export const countComplexity = { field: 50, multiplier: 1 };
