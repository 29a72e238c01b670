// The forms that the values of settings have, each with its rule.
import { z } from 'zod';

export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

export const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const sslModes = [null, 'disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

export const databaseAddress = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// address' })
  .refine(
    (url) => !URL.canParse(url) || sslModes.includes(new URL(url).searchParams.get('sslmode')),
    'has an sslmode that there is not',
  );

export const headerList = (names: string) =>
  z
    .string()
    .regex(/^[\w-]+(\s*,\s*[\w-]+)*$/, 'must be header names, separated by commas')
    .transform((list) => list.split(',').map((name) => name.trim().toLowerCase()))
    .prefault(names);

export const trimmedAddress = httpAddress.transform((address) => address.replace(/\/+$/, ''));

/** Between commas, with spaces or without. */
export const commaList = z.string().transform((list) => list.split(',').flatMap((item) => item.trim() || []));

/** Whether they exist is told where scopes are known. */
export const scopeList = z.string().transform((list) => list.split(/[\s,]+/).filter((name) => name !== ''));

/** A calendar date that exists, as the version header takes it (decision 4). */
export const isoDate = z.iso.date();
