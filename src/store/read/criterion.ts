// What a list can be filtered by, criterion by criterion: what a caller gives, and what of a row meets it.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { likeText } from '../../database/search-pattern.js';

/** What a caller gives for a criterion. */
export type CriterionForm =
  { is: 'texts' | 'name' | 'labels' | 'times' | 'boolean' } | { is: 'words'; words: z.ZodEnum };

/** Something that a row `r` meets or not. */
export interface Condition {
  exact: Prisma.Sql;
  /**
   * Words of which every row that meets it has at least one among its facets (the migrations' resource_words): they
   * find the rows, or rule them out, without looking at their spec.
   */
  words?: string[];
  /** The column that it bounds, if it is a range of one: an order by the same column can walk just that range. */
  bounds?: string;
}

export interface Criterion {
  description: string;
  form: CriterionForm;
  /** All of these have to be met. @throws {z.ZodError} for what breaks a rule. */
  conditions: (given: unknown) => Condition[];
}

const wordsMax = 100;

const anyText = z
  .string()
  .max(1_024, 'must be at most 1024 characters')
  .regex(/^\P{Cc}*$/u, 'must hold no control characters');

const texts = z.array(anyText).max(wordsMax, `must be at most ${wordsMax}`);

/** What a row has to meet for some texts. */
export type TextsMet = (given: string[]) => Prisma.Sql;

/** A value is one of the texts. */
export function isOneOf(value: Prisma.Sql): TextsMet {
  return (given) => Prisma.sql`${value} = ANY(${given}::text[])`;
}

/**
 * What is met by a spec whose text shows it already, as nearly all specs do that an index finds: to look for a text takes
 * a fraction of what parsing the JSON takes. What does not show it is parsed.
 *
 * @param shown SQL of the part of the text in which no caller chooses the names of fields.
 * @param pairs the fields and values that show it, as JSON without blanks. A quote within a value is escaped.
 */
export function isShownOr(shown: Prisma.Sql, pairs: (given: string) => string[], exact: TextsMet): TextsMet {
  return (given) => {
    const isShown = given.flatMap(pairs).map((pair) => Prisma.sql`strpos(${shown}, ${pair}) > 0`);
    if (isShown.length === 0) return exact(given);
    return Prisma.sql`CASE WHEN ${Prisma.join(isShown, ' OR ')} THEN true ELSE ${exact(given)} END`;
  };
}

/** One of some texts. @param facet the first part of its words among the facets, where it is there. */
export function textIn(description: string, met: TextsMet, facet?: string): Criterion {
  return {
    description,
    form: { is: 'texts' },
    conditions: (given) => [oneOfTexts(met, texts.parse(given), facet)],
  };
}

/** One of some words of a closed list. */
export function wordIn(description: string, words: z.ZodEnum, met: TextsMet, facet?: string): Criterion {
  const some = z.array(words).max(wordsMax);
  return {
    description,
    form: { is: 'words', words },
    conditions: (given) => [oneOfTexts(met, some.parse(given).map(String), facet)],
  };
}

const nameMatch = z.object({ in: texts.nullish(), startsWith: anyText.nullish() });

/** A name: one of some, and how it starts. */
export function nameMatching(description: string, column: string): Criterion {
  const value = Prisma.raw(`r."${column}"`);
  return {
    description,
    form: { is: 'name' },
    conditions: (given) => {
      const { in: names, startsWith } = nameMatch.parse(given);
      return [
        ...(names == null ? [] : [oneOfTexts(isOneOf(value), names)]),
        ...(startsWith == null ? [] : [{ exact: Prisma.sql`${value} LIKE ${`${likeText(startsWith)}%`}` }]),
      ];
    },
  };
}

const times = z.object({ from: z.string().nullish(), to: z.string().nullish() });

/** A time, from one on and before another. */
export function timeBetween(description: string, column: string): Criterion {
  const value = Prisma.raw(`r."${column}"`);
  return {
    description,
    form: { is: 'times' },
    conditions: (given) => {
      const { from, to } = times.parse(given);
      return [
        ...(from == null ? [] : [{ exact: Prisma.sql`${value} >= ${from}::timestamptz`, bounds: column }]),
        ...(to == null ? [] : [{ exact: Prisma.sql`${value} < ${to}::timestamptz`, bounds: column }]),
      ];
    },
  };
}

/** Whether something holds. */
export function truth(description: string, value: Prisma.Sql, facet?: string): Criterion {
  return {
    description,
    form: { is: 'boolean' },
    conditions: (given) => {
      const wanted = z.boolean().parse(given);
      const words = facet === undefined ? {} : { words: [`${facet} ${wanted}`] };
      return [{ exact: Prisma.sql`${value} = ${wanted}`, ...words }];
    },
  };
}

const labelMatches = z
  .array(z.object({ key: anyText, in: texts.nullish(), exists: z.boolean().nullish() }))
  .max(wordsMax, `must be at most ${wordsMax}`);

/** All of some labels: each is there or not, or has one of some values. */
export function labelsMatching(description: string): Criterion {
  return {
    description,
    form: { is: 'labels' },
    conditions: (given) => labelMatches.parse(given).flatMap(labelConditions),
  };
}

function labelConditions({ key, in: values, exists }: z.output<typeof labelMatches>[number]): Condition[] {
  const value = Prisma.sql`(r."labels"->>${key})`;
  const isThere: Condition = { exact: Prisma.sql`${value} IS NOT NULL`, words: [`label ${key}`] };
  const isAbsent: Condition = { exact: Prisma.sql`${value} IS NULL` };
  const hasValue = values && {
    exact: Prisma.sql`${value} = ANY(${values}::text[])`,
    words: values.map((each) => `label ${key}\n${each}`),
  };
  const presence = exists === false ? [isAbsent] : exists === true || hasValue == null ? [isThere] : [];
  return [...presence, ...(hasValue == null ? [] : [hasValue])];
}

function oneOfTexts(met: TextsMet, given: string[], facet?: string): Condition {
  const words = facet === undefined ? {} : { words: given.map((each) => `${facet} ${each}`) };
  return { exact: met(given), ...words };
}
