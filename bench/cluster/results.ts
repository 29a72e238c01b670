// The table of what was measured, and what it says of what limits.
import { median } from '../processes.js';
import type { Measured, Spent } from './measure.js';

export interface Row {
  work: string;
  /** How many events or questions it is. */
  count: number;
  setUp: string;
  rounds: Measured[];
  /** The same work by the set-up that the others are compared with. */
  compared: Measured[];
}

const spenders = ['client', 'gateways', 'server', 'workers'] as const satisfies (keyof Spent)[];

export function tableOf(rows: readonly Row[]): string {
  return `| work | by | a second | ratio | µs of client | gateways | server or coordinator | workers | cores busy |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(lineOf).join('\n')}`;
}

/** Ratios are of the two of a round, which the machine was the same for. */
export function lineOf(row: Row): string {
  const { work, setUp, rounds, compared } = row;
  const perSecond = median(rounds.map((each) => each.perSecond));
  const ratio = median(rounds.map((each, round) => each.perSecond / (compared[round]?.perSecond ?? NaN)));
  const each = spenders.map((spender) => microseconds(microsecondsOf(row, spender)));
  const busy = median(rounds.map(({ spent, ms }) => spenders.reduce((sum, spender) => sum + spent[spender], 0) / ms));
  return `| ${[work, setUp, Math.round(perSecond).toLocaleString('en'), ratio.toFixed(2), ...each, busy.toFixed(1)].join(' | ')} |`;
}

/** How much processor time an event or question takes of one of them. */
function microsecondsOf({ rounds, count }: Row, spender: keyof Spent): number {
  return (median(rounds.map(({ spent }) => spent[spender])) * 1_000) / count;
}

function microseconds(value: number): string {
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
