// Converts the issues of a schema to problems with the field paths of the caller.
import type { z } from 'zod';
import { problemCodes } from '../error-codes.js';
import type { ProblemCode } from '../error-codes.js';
import { cutText } from '../errors.js';
import type { ExceededLimit, Problem } from '../errors.js';
import { fieldsOf } from './shape.js';
import type { Form } from './shape.js';

/** The options of a refinement: the code of the problem, the rule as the end of a sentence, and its limit. */
export function refusal(code: ProblemCode, rule: string, limit?: number) {
  return { error: rule, params: { code, limit } };
}

/** The maximum length of a quoted name. */
const nameLengthMax = 100;

/** @param names the path from the input. @param rule the end of a sentence: `must be a string`. */
export function problemAt(names: string[], code: ProblemCode, rule: string, exceeded?: ExceededLimit): Problem {
  const path = names.map((name) => cutText(name, nameLengthMax));
  return { path, code, message: path.length === 0 ? `The input ${rule}` : `${path.join('.')} ${rule}`, ...exceeded };
}

/**
 * Returns the problems of an input, in the order of its fields.
 *
 * @param form the type of the parsed value. @param input the input of the caller, where labels can be a list.
 */
export function problemsFrom(issues: readonly z.core.$ZodIssue[], form: Form, input: unknown): Problem[] {
  return issues.map((issue) => {
    const part = issue.code === 'invalid_key' ? 'key' : 'value';
    const code = codeOf(issue);
    return problemAt(
      callersPath(issue.path.map(String), form, input, part),
      code,
      issue.message,
      exceededBy(issue, code),
    );
  });
}

/** Returns the default message of an issue: the rule, as the end of a sentence. */
export function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? `a valid ${issue.format}`}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has an invalid key';
    default:
      return 'is not valid';
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formatNames: Record<string, string> = {
  url: 'a URL',
  datetime: 'an RFC 3339 time, such as 2026-04-28T00:00:00Z',
  cidrv4: 'an IPv4 range, such as 10.20.0.0/16',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  uuid: 'a UUID',
};

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '';
}

function codeOf(issue: z.core.$ZodIssue): ProblemCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.message === 'is required' ? 'required' : 'invalid_type';
    case 'invalid_format':
      return 'invalid_format';
    case 'too_big':
      return isOfMany(issue.origin) ? 'too_long' : 'too_large';
    case 'too_small':
      return isOfMany(issue.origin) ? 'too_short' : 'too_small';
    case 'custom':
      return isProblemCode(issue.params?.['code']) ? issue.params['code'] : 'invalid_value';
    default:
      return 'invalid_value';
  }
}

/** The limit of an issue, and the number or size of the value. */
function exceededBy(issue: z.core.$ZodIssue, code: ProblemCode): ExceededLimit | undefined {
  const limit = limitOf(issue);
  return limit === undefined ? undefined : { limit, actual: sizeOf(issue.input, code) };
}

function limitOf(issue: z.core.$ZodIssue): number | undefined {
  if (issue.code === 'too_big') return Number(issue.maximum);
  if (issue.code === 'too_small') return Number(issue.minimum);
  const limit: unknown = issue.code === 'custom' ? issue.params?.['limit'] : undefined;
  return typeof limit === 'number' ? limit : undefined;
}

/** A number itself, the characters of a text, the items of a list, or the entries or bytes of an object. */
function sizeOf(value: unknown, code: ProblemCode): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'object' || value === null) return undefined;
  return code === 'too_large' ? Buffer.byteLength(JSON.stringify(value)) : Object.keys(value).length;
}

function isOfMany(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code);
}

/** Returns the path in the caller's input. Labels are a map in the parsed value, and can be a list in the input. */
function callersPath(path: string[], form: Form, input: unknown, part: 'key' | 'value'): string[] {
  const [step, ...rest] = path;
  if (step === undefined) return [];
  if (form.is === 'labels' && Array.isArray(input)) {
    return [String(input.findIndex((each: unknown) => valueAt(each, 'key') === step)), part];
  }
  const inner = form.is === 'shape' ? fieldsOf(form.shape).find(({ name }) => name === step)?.form : undefined;
  const next = form.is === 'list' ? form.item : inner;
  return next === undefined ? path : [step, ...callersPath(rest, next, valueAt(input, step), part)];
}

function valueAt(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
