// The fields of a usage event, once for both doors. They are read by usage-event.ts, which takes ten thousand of them at
// a time, and says of each alone what is wrong with it.
import { z } from 'zod';

/** As text it is exact whatever a client's numbers are. */
const amount = (description: string) => z.string().meta({ description, override: { type: ['string', 'number'] } });

export const usageEventShape = z
  .looseObject({
    source: z.string().meta({ description: 'What measured it. With id it is the identity of the event.' }),
    id: z.string().meta({ description: 'Unique within its source. Sending it again changes nothing.' }),
    account: z.string().meta({ description: 'Name or id of the account.' }),
    workspace: z.string().meta({ description: 'Name of a workspace of the account.' }),
    resourceType: z.string().meta({ description: 'Raw resource type, such as sandbox.' }),
    resourceName: z.string().meta({ description: 'Name of the resource.' }),
    resourceUuid: z.string().optional().meta({ description: 'UUID or instance id, where the resource type has one.' }),
    billingDimension: z.string().meta({ description: 'What is billed.' }),
    time: z.iso.datetime({ offset: true }).meta({ description: 'When: RFC 3339 with any offset, to the nanosecond.' }),
    usage: amount('How much, in the unit of the dimension, negative of a credit; six places are kept.'),
    cost: amount('USD, negative of a credit; nine places are kept. Without it the price counts.').optional(),
  })
  .meta({ id: 'UsageEvent', description: 'How much of what was used when, by which resource.' });

export type UsageField = keyof typeof usageEventShape.shape;

/** The fields of an event, in every form that it has. */
export const usageFields = usageEventShape.keyof().options;
