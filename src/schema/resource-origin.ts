// The origin of a resource that was moved in from another platform.
import { z } from 'zod';
import { canonicalUserName } from '../auth/user-name.js';
import { refusal } from './problem.js';
import { timestamp } from './resource.js';

/** The earliest time of a creation, as of usage and metrics (decision 31). */
export const earliestOrigin = new Date('2000-01-01T00:00:00.000Z');

/** The creation of a resource on the platform where it comes from. */
export const resourceOrigin = z
  .object({
    createdAt: timestamp
      .optional()
      .meta({ description: 'Time of the creation, from the year 2000 on and not in the future (default: now).' }),
    createdBy: z
      .string()
      .transform((typed) => canonicalUserName(typed) ?? '')
      .pipe(z.string().refine((name) => name !== '', refusal('invalid_format', 'must be 1 to 254 visible characters')))
      .optional()
      .meta({
        description:
          'Name of the user or service account that created the resource, in lower case (default: the caller). It is ' +
          'kept as text: nobody needs to have the name here.',
      }),
  })
  .meta({ id: 'ResourceOrigin', description: 'The creation of a resource on the platform where it comes from.' });

export type ResourceOrigin = z.output<typeof resourceOrigin>;
