import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import type { UsageResult } from '../../../metering/usage-result.js';

/** The type of the result of one event. Its fields are the same for all outcome enums. */
export function eventResultType(
  name: string,
  outcomes: { name: string; description: string; table: Readonly<Record<string, string>> },
) {
  const { description, table } = outcomes;
  const OutcomeEnum = builder.enumType(outcomes.name, { description, values: enumValues(table) });
  return builder.objectRef<Omit<UsageResult, 'outcome'> & { outcome: string }>(name).implement({
    description: 'Result of one event.',
    fields: (t) => ({
      outcome: t.expose('outcome', { type: OutcomeEnum, nullable: false }),
      field: t.exposeString('field', {
        description: 'The invalid field of an invalid event; null for other outcomes.',
      }),
      message: t.exposeString('message', {
        description:
          'Why the request did not change the event, or null if it did. For an invalid event: the field and the rule.',
      }),
      rounded: t.stringList({
        nullable: { list: false, items: false },
        description:
          'Amounts (usage or cost) that were rounded by more than one part in 10^12 to the stored number of decimal ' +
          'places.',
        resolve: ({ rounded }) => [...(rounded ?? [])],
      }),
    }),
  });
}
