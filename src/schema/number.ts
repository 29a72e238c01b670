import { z } from 'zod';

/** A whole number that GraphQL can carry in an Int. */
export const whole = z.int32().min(0);

export const positive = z.int32().min(1);

export const percentage = z.int32().min(0).max(100);

/** A size that may be more than an Int holds. */
export const bytes = z.int().min(0);
