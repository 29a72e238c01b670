// The formats of settings, each with its rule.
import { z } from 'zod';

export const wholeNumber = (minimum: number, maximum: number) => {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, rule)
    .transform(Number)
    .pipe(z.number().min(minimum, rule).max(maximum, rule));
};

export const oneOf = <const Values extends readonly [string, string, ...string[]]>(...values: Values) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);

export const toggle = oneOf('on', 'off');

export const nonEmpty = z.string().min(1);

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an http:// or https:// URL, such as https://api.example.com',
});

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

export const databaseAddress = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'must be a postgres:// or postgresql:// URL, such as postgres://user:password@host/database',
  })
  .refine(
    (url) => {
      const sslMode = URL.canParse(url) ? new URL(url).searchParams.get('sslmode') : null;
      return sslMode === null || sslModes.includes(sslMode);
    },
    `has an unknown sslmode. Allowed: ${sslModes.join(', ')}`,
  );

export const trimmedUrl = httpUrl.transform((url) => url.replace(/\/+$/, ''));

/** A list separated by commas, with or without spaces. */
export const commaList = z.string().transform((list) => list.split(',').flatMap((item) => item.trim() || []));

/** The words of a list that spaces or commas separate. */
export function wordsIn(list: string): string[] {
  return list.split(/[\s,]+/).filter((word) => word !== '');
}

/** The names are checked in create-services.ts, which knows the scopes. */
export const scopeList = z.string().transform(wordsIn);

/** A calendar date that exists, in the form of the version header (decision 4). */
export const isoDate = z.iso.date('must be a date in the form YYYY-MM-DD');
