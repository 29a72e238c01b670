// The criteria of filters: the values that a caller gives, and the SQL condition for them.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { likeText } from '../../database/search-pattern.js';

/** The form of a criterion's value. */
export type CriterionForm =
  | { is: 'texts' | 'name' | 'text' | 'labels' | 'time' | 'optionalTime' | 'boolean' }
  | { is: 'words' | 'word' | 'optionalWord'; words: z.ZodEnum };

/** A condition on a row `r`. */
export interface Condition {
  exact: Prisma.Sql;
  /**
   * Indexed filter values, of which every matching row has at least one (resource_words in the migrations). They find
   * or exclude rows without reading their specs.
   */
  words?: string[];
  /** The column of a range condition. A list that is sorted by this column scans only the range. */
  bounds?: string;
}

export interface Criterion {
  description: string;
  form: CriterionForm;
  /** The conditions, all of which must hold. @throws {z.ZodError} for an invalid value. */
  conditions: (input: unknown) => Condition[];
}

const wordsMax = 100;

const anyText = z
  .string()
  .max(1_024, 'must be at most 1024 characters')
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(wordsMax, `must be at most ${wordsMax} items`);
}

const texts = listOf(anyText);

/** SQL condition for some values. */
export type TextsMet = (texts: string[]) => Prisma.Sql;

/** The value is one of these texts. */
export function oneOf(value: Prisma.Sql): TextsMet {
  return (texts) => Prisma.sql`${value} = ANY(${texts}::text[])`;
}

/**
 * A condition that checks the text of a spec before parsing it. Almost all specs that an index finds contain the text,
 * and searching the text costs a fraction of parsing the JSON. Specs without the text are parsed.
 *
 * @param shown SQL of the part of the text in which callers cannot choose field names.
 * @param pairs the fields and values to search for, as JSON without whitespace. Quotes in values are escaped.
 */
export function shownOr(shown: Prisma.Sql, pairs: (text: string) => string[], exact: TextsMet): TextsMet {
  return (texts) => {
    const conditions = texts.flatMap(pairs).map((pair) => Prisma.sql`strpos(${shown}, ${pair}) > 0`);
    if (conditions.length === 0) return exact(texts);
    return Prisma.sql`CASE WHEN ${Prisma.join(conditions, ' OR ')} THEN true ELSE ${exact(texts)} END`;
  };
}

/** A list of texts, of which one must be one of these. */
export function textsIn(description: string, met: TextsMet, indexedField?: string): Criterion {
  return {
    description,
    form: { is: 'texts' },
    conditions: (input) => [oneOfTexts(met, texts.parse(input), indexedField)],
  };
}

/** A list of values of an enum, of which one must be one of these. */
export function wordsIn(description: string, words: z.ZodEnum, met: TextsMet, indexedField?: string): Criterion {
  const some = listOf(words);
  return {
    description,
    form: { is: 'words', words },
    conditions: (input) => [oneOfTexts(met, some.parse(input).map(String), indexedField)],
  };
}

/** A value of an enum: one of some. */
export function wordMatching(description: string, words: z.ZodEnum, value: Prisma.Sql): Criterion {
  return { description, form: { is: 'word', words }, conditions: wordConditions(words, value) };
}

/**
 * A value of an enum that can be absent.
 *
 * @param value its SQL: NULL if it is absent.
 * @param indexedField the prefix of its indexed filter values, if it is indexed.
 * @param met a faster condition than the comparison of the value.
 */
export function optionalWordMatching(
  description: string,
  words: z.ZodEnum,
  value: Prisma.Sql,
  indexedField?: string,
  met?: TextsMet,
): Criterion {
  return {
    description,
    form: { is: 'optionalWord', words },
    conditions: wordConditions(words, value, indexedField, met),
  };
}

function wordConditions(
  words: z.ZodEnum,
  value: Prisma.Sql,
  indexedField?: string,
  met: TextsMet = oneOf(value),
): Criterion['conditions'] {
  const wordMatch = z.object({ in: listOf(words).nullish(), isSet: z.boolean().nullish() });
  return (input) => {
    const { in: accepted, isSet } = wordMatch.parse(input);
    return [
      ...(accepted == null ? [] : [oneOfTexts(met, accepted.map(String), indexedField)]),
      ...presence(value, isSet),
    ];
  };
}

const textMatch = z.object({
  in: texts.nullish(),
  startsWith: anyText.nullish(),
  contains: anyText.nullish(),
  isSet: z.boolean().nullish(),
});

/** A name: one of some, or by a part of it. */
export function nameMatching(description: string, value: Prisma.Sql): Criterion {
  return { description, form: { is: 'name' }, conditions: (input) => textConditions(value, input) };
}

/** A text that can be absent. @param indexedField the prefix of its indexed filter values, if it is indexed. */
export function textMatching(description: string, value: Prisma.Sql, indexedField?: string): Criterion {
  return { description, form: { is: 'text' }, conditions: (input) => textConditions(value, input, indexedField) };
}

function textConditions(value: Prisma.Sql, input: unknown, indexedField?: string): Condition[] {
  const { in: some, startsWith, contains, isSet } = textMatch.parse(input);
  return [
    ...(some == null ? [] : [oneOfTexts(oneOf(value), some, indexedField)]),
    ...(startsWith == null ? [] : [{ exact: Prisma.sql`${value} LIKE ${`${likeText(startsWith)}%`}` }]),
    ...(contains == null ? [] : [{ exact: Prisma.sql`${value} LIKE ${`%${likeText(contains)}%`}` }]),
    ...presence(value, isSet),
  ];
}

function presence(value: Prisma.Sql, isSet: boolean | null | undefined): Condition[] {
  if (isSet == null) return [];
  return [{ exact: isSet ? Prisma.sql`${value} IS NOT NULL` : Prisma.sql`${value} IS NULL` }];
}

const times = z.object({ from: z.string().nullish(), to: z.string().nullish(), isSet: z.boolean().nullish() });

/** A time range: from a time (inclusive) to another (exclusive). */
export function timeBetween(description: string, column: string): Criterion {
  return { description, form: { is: 'time' }, conditions: (input) => timeConditions(column, input) };
}

/** The same for a time that can be absent. */
export function optionalTimeBetween(description: string, column: string): Criterion {
  return { description, form: { is: 'optionalTime' }, conditions: (input) => timeConditions(column, input) };
}

function timeConditions(column: string, input: unknown): Condition[] {
  const value = Prisma.raw(`r."${column}"`);
  const { from, to, isSet } = times.parse(input);
  return [
    ...(from == null ? [] : [{ exact: Prisma.sql`${value} >= ${from}::timestamptz`, bounds: column }]),
    ...(to == null ? [] : [{ exact: Prisma.sql`${value} < ${to}::timestamptz`, bounds: column }]),
    ...presence(value, isSet),
  ];
}

/** A boolean. */
export function truth(description: string, value: Prisma.Sql, indexedField?: string): Criterion {
  return {
    description,
    form: { is: 'boolean' },
    conditions: (input) => {
      const accepted = z.boolean().parse(input);
      const indexed = indexedField === undefined ? {} : { words: [`${indexedField} ${accepted}`] };
      return [{ exact: Prisma.sql`${value} = ${accepted}`, ...indexed }];
    },
  };
}

const labelMatches = listOf(z.object({ key: anyText, in: texts.nullish(), isSet: z.boolean().nullish() }));

/** Labels, all of which must match: present, absent, or with one of some values. */
export function labelsMatching(description: string): Criterion {
  return {
    description,
    form: { is: 'labels' },
    conditions: (input) => labelMatches.parse(input).flatMap(labelConditions),
  };
}

function labelConditions({ key, in: values, isSet }: z.output<typeof labelMatches>[number]): Condition[] {
  const value = Prisma.sql`(r."labels"->>${key})`;
  const present: Condition = { exact: Prisma.sql`${value} IS NOT NULL`, words: [`label ${key}`] };
  const matching = values && {
    exact: Prisma.sql`${value} = ANY(${values}::text[])`,
    words: values.map((each) => `label ${key}\n${each}`),
  };
  return [
    ...(isSet === false ? presence(value, false) : isSet === true || matching == null ? [present] : []),
    ...(matching == null ? [] : [matching]),
  ];
}

function oneOfTexts(met: TextsMet, texts: string[], indexedField?: string): Condition {
  const indexed = indexedField === undefined ? {} : { words: texts.map((each) => `${indexedField} ${each}`) };
  return { exact: met(texts), ...indexed };
}
