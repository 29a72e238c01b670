// Query and path parameters. The schema of each one also describes it in the OpenAPI document.
import { z } from 'zod';
import { invalidParameter } from '../../errors.js';
import { parseQuery } from '../../input/query.js';
import { pageSizeDefault, pageSizeMax } from '../../pagination/page.js';

/** The schema of a route without parameters. */
export const noParameters = z.object({});

/** @throws 400 `invalid_parameter` for a parameter that is repeated or not percent-encoded UTF-8 (decision 8). */
export function queryParameters(search: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of parseQuery(search)) {
    if (values.has(name)) throw invalidParameter(name, 'must be sent once');
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/**
 * Reads parameters with a schema whose messages are rules, such as "must be a number".
 *
 * @throws 400 `invalid_parameter` naming the first invalid parameter.
 */
export function readFields<Fields extends z.ZodType>(
  schema: Fields,
  parameters: Record<string, string>,
): z.output<Fields> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') throw invalidParameter(issue.keys[0] ?? '', issue.message);
  throw invalidParameter(issue?.path.join('.') ?? '', issue?.message ?? 'is not valid');
}

/**
 * Rejects unknown parameters, which other routes ignore (decision 8). The message suggests a parameter that differs only
 * in case, `_` or `-`, such as `groupBy` for `group_by`.
 */
export function onlyParameters<Shape extends z.ZodRawShape>(
  fields: z.ZodObject<Shape>,
): z.ZodObject<Shape, z.core.$strict> {
  const plain = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase();
  const names = new Map(Object.keys(fields.shape).map((name) => [plain(name), name]));
  return z.strictObject(fields.shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const right = names.get(plain(issue.keys[0] ?? ''));
      return `is not a parameter${right === undefined ? ' of this operation' : `. Did you mean ${right}?`}`;
    },
  });
}

/** A page size: 50 when it is absent, 200 when it is larger. */
export const limit = z
  .string()
  .refine((text) => /^\d+$/.test(text) && Number(text) >= 1, 'must be a whole number of at least 1')
  .transform((text) => Math.min(Number(text), pageSizeMax))
  .prefault(String(pageSizeDefault))
  .meta({
    description: `Items per page (default: ${pageSizeDefault}). Values above ${pageSizeMax} are treated as ${pageSizeMax}.`,
    override: { type: 'integer', minimum: 1, default: pageSizeDefault },
  });

/** The cursor of a page. An empty cursor, the `nextCursor` of the last page, selects the first page. */
export const cursor = z
  .string()
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .meta({
    description: 'Value of meta.nextCursor of a previous page of the same query. Valid for 24 hours.',
    override: { type: 'string' },
  });

/** A parameter with a fixed set of values. */
export function word<Word extends string>(words: Readonly<Record<Word, unknown>>): z.ZodEnum<{ [Key in Word]: Key }> {
  const isWord = (text: string): text is Word => Object.hasOwn(words, text);
  return z.enum(Object.keys(words).filter(isWord), { error: `must be one of: ${Object.keys(words).join(', ')}` });
}
