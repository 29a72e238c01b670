// The cursors of query_costs. They contain the period, so that the next page has the same one without naming it.
import { ToolError } from './tool-call.js';
import type { Listed } from './tool-result.js';

interface PeriodAndCursor {
  startTime: string;
  endTime: string;
  /** The cursor within the period. */
  cursor: string;
}

/** Adds a period to the cursors of items. */
export function withPeriod(listed: readonly Listed[], startTime: string, endTime: string): Listed[] {
  return listed.map(({ item, cursor }) => ({ item, cursor: `${startTime}/${endTime}/${cursor}` }));
}

/** Splits a cursor. Its times are as unchecked as those of an input. @throws {ToolError} `cursor_invalid` */
export function periodAndCursor(text: string): PeriodAndCursor {
  const [startTime, endTime, ...rest] = text.split('/');
  const cursor = rest.join('/');
  if (startTime === undefined || endTime === undefined || cursor === '') {
    throw new ToolError('cursor_invalid', 'after must be the nextCursor of the previous result.');
  }
  return { startTime, endTime, cursor };
}
