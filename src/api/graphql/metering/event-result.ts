import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import type { UsageResult } from '../../../metering/usage-result.js';

/** What became of one event, as a type: the same fields whatever the outcomes are. */
export function eventResultType(
  name: string,
  outcomes: { name: string; description: string; table: Readonly<Record<string, string>> },
) {
  const { description, table } = outcomes;
  const OutcomeEnum = builder.enumType(outcomes.name, { description, values: enumValues(table) });
  return builder.objectRef<Omit<UsageResult, 'outcome'> & { outcome: string }>(name).implement({
    description: 'What became of one event.',
    fields: (t) => ({
      outcome: t.expose('outcome', { type: OutcomeEnum, nullable: false }),
      field: t.exposeString('field', { description: 'Of an invalid event: the field that breaks a rule.' }),
      message: t.exposeString('message', { description: 'Of an invalid event: the field and its rule, for people.' }),
      rounded: t.stringList({
        nullable: { list: false, items: false },
        description:
          'The amounts, usage or cost, that rounding to the places that are kept changed by over one in 10^12.',
        resolve: ({ rounded }) => [...(rounded ?? [])],
      }),
    }),
  });
}
