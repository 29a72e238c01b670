// The fields of a usage event, for the schemas of both transports. Events are validated by usage-event.ts, which
// handles 10,000 at a time and reports a separate error for each.
import { z } from 'zod';

/** Text is exact regardless of the number type of the client. */
const amount = (description: string) => z.string().meta({ description, override: { type: ['string', 'number'] } });

export const usageEventShape = z
  .looseObject({
    source: z
      .string()
      .meta({ description: 'Source that measured the usage. Source and id together identify the event.' }),
    id: z.string().meta({ description: 'ID, unique within the source. Sending the event again changes nothing.' }),
    account: z.string().meta({ description: 'Name or ID of the account.' }),
    workspace: z.string().meta({ description: 'Name of a workspace of the account.' }),
    resourceType: z.string().meta({ description: 'Raw resource type, such as sandbox.' }),
    resourceName: z.string().meta({ description: 'Name of the resource.' }),
    resourceUuid: z
      .string()
      .optional()
      .meta({ description: 'UUID or instance ID of the resource, if the resource type has one.' }),
    billingDimension: z.string().meta({ description: 'Billing dimension.' }),
    time: z.iso
      .datetime({ offset: true })
      .meta({ description: 'Time of the usage (RFC 3339 with any offset, to the nanosecond).' }),
    usage: amount('Amount in the unit of the dimension, negative for credits. Six decimal places are stored.'),
    cost: amount(
      'Cost (USD), negative for credits. Nine decimal places are stored. If omitted, the price of the dimension applies.',
    ).optional(),
  })
  .meta({ id: 'UsageEvent', description: 'An amount of usage: its resource, billing dimension, time and cost.' });

export type UsageField = keyof typeof usageEventShape.shape;

/** The names of the fields of an event, in all its forms. */
export const usageFields = usageEventShape.keyof().options;
