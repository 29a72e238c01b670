// The labels that a query of costs groups and filters by. Pure.
import { invalidParameter } from '../errors.js';
import { hasAtMost, unkept } from '../schema/text.js';
import { labelColumns } from './dimensions.js';
import type { LabelColumn } from './dimensions.js';

export const groupByLabelsMax = 2;
export const labelKeysMax = labelColumns.length;
const valuesMax = 100;
const keyLengthMax = 63;
const valueLengthMax = 255;

/** A condition on a label, as in the filters of lists: with only a key, the label must be present. */
export interface LabelFilter {
  key: string;
  in?: readonly string[] | null | undefined;
  isSet?: boolean | null | undefined;
}

/** A condition on a column of a label. */
export interface LabelCondition {
  column: LabelColumn;
  values?: readonly string[] | undefined;
  isSet?: boolean | undefined;
}

/** The labels of a query. */
export interface LabelQuery {
  /** The key of each column. Those of conditions come first. */
  keys: readonly string[];
  conditions: readonly LabelCondition[];
}

/** The parameters of a query of costs that concern labels. */
export interface LabelParameters {
  groupByLabels?: readonly string[] | null | undefined;
  labels?: readonly LabelFilter[] | null | undefined;
}

/**
 * Parses the labels of a query.
 *
 * @returns undefined if it has none; otherwise with the columns to group by, in the order of their keys.
 * @throws 400 `invalid_parameter`
 */
export function labelQuery({
  groupByLabels,
  labels,
}: LabelParameters): (LabelQuery & { groupBy: LabelColumn[] }) | undefined {
  const grouped = groupByLabels ?? [];
  const filters = labels ?? [];
  if (grouped.length === 0 && filters.length === 0) return undefined;
  if (grouped.length > groupByLabelsMax) {
    throw invalidParameter('groupByLabels', `must have at most ${groupByLabelsMax} labels`, {
      limit: groupByLabelsMax,
      actual: grouped.length,
    });
  }
  if (new Set(grouped).size < grouped.length) {
    throw invalidParameter('groupByLabels', 'must contain each label only once');
  }
  const keys = [...new Set([...filters.map(({ key }) => key), ...grouped])];
  if (keys.length > labelKeysMax) {
    throw invalidParameter(
      'labels',
      `must have at most ${labelKeysMax} different labels, with those of groupByLabels`,
      {
        limit: labelKeysMax,
        actual: keys.length,
      },
    );
  }
  for (const key of grouped) requireText('groupByLabels', key, keyLengthMax);
  const conditions = filters.flatMap((filter) =>
    columnsOf(keys, filter.key).map((column) => ({ column, ...conditionOf(filter) })),
  );
  return { keys, conditions, groupBy: grouped.toSorted(compareTexts).flatMap((key) => columnsOf(keys, key)) };
}

function columnsOf(keys: readonly string[], key: string): LabelColumn[] {
  return labelColumns.filter((_, index) => keys[index] === key);
}

/** @throws 400 `invalid_parameter` */
function conditionOf({ key, in: values, isSet }: LabelFilter): Omit<LabelCondition, 'column'> {
  requireText('labels.key', key, keyLengthMax);
  if (values == null) return { isSet: isSet !== false };
  if (values.length > valuesMax) {
    throw invalidParameter('labels.in', `must have at most ${valuesMax} values`, {
      limit: valuesMax,
      actual: values.length,
    });
  }
  for (const value of values) if (value !== '') requireText('labels.in', value, valueLengthMax);
  return isSet == null ? { values } : { values, isSet };
}

/** Returns the value of a label from its column; undefined for usage without the label. */
export function labelValue(column: string): string | undefined {
  return column === '' ? undefined : column.slice(1);
}

/** Returns the column of a value: it differs from the empty text of usage without the label. */
export function labelColumnOf(value: string): string {
  return `=${value}`;
}

/** Compares bytewise, like the database. */
function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function requireText(field: string, text: string, lengthMax: number): void {
  if (text === '') throw invalidParameter(field, 'must not be empty');
  if (unkept.test(text)) throw invalidParameter(field, 'must not contain control characters');
  if (!hasAtMost(text, lengthMax)) throw invalidParameter(field, `must be at most ${lengthMax} characters long`);
}
