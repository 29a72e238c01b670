// The parts that all fields with counts by group share.
import { groupsMax } from '../../store/read/grouping.js';
import type { GroupCount, Grouping } from '../../store/read/grouping.js';
import { builder } from './builder.js';
import { enumValues } from './enums.js';

export const GroupCountType = builder.objectRef<GroupCount>('GroupCount').implement({
  description: 'Number of items with one value of the grouping.',
  fields: (t) => ({
    value: t.exposeString('value', {
      description: 'Value of the grouping; for enums, in the format of the filter. Null for items without a value.',
    }),
    count: t.exposeInt('count', { nullable: false, description: 'Number of items.' }),
  }),
});

/** The groupings of a kind, with their descriptions. */
export type Groupings = Readonly<Partial<Record<Grouping, string>>>;

/** The grouping argument of a resource kind without labels. @param name the GraphQL type of the kind. */
export function groupByArgument(name: string, groupings: Groupings) {
  const GroupingEnum = builder.enumType(`${name}Grouping`, {
    description: 'A property to group counts by.',
    values: enumValues<Grouping>(groupings),
  });
  return builder.args((t) => ({
    by: t.field({ type: GroupingEnum, required: true, description: 'The property to group by.' }),
  }));
}

/** The grouping arguments of a resource kind with labels. */
export function groupArguments(name: string, groupings: Groupings) {
  return {
    ...groupByArgument(name, groupings),
    ...builder.args((t) => ({ label: t.string({ description: 'Key of the label, if grouped by LABEL.' }) })),
  };
}

/** The description of a field with counts. @param many plural name of the items. */
export function countDescription(many: string): string {
  return `Exact number of ${many} for each value, most frequent first (at most ${groupsMax} values).`;
}

/** A count reads every item that it counts. */
export const countComplexity = { field: 50, multiplier: 1 };
