import type { ReactElement } from 'react';
import { nanoFrom } from '../look/decimal.js';
import { formatPercent } from '../look/locale.js';
import { formatMoney } from '../look/money.js';
import type { Budget } from './budget-queries.js';

/** The actual and forecast cost of a budget with its thresholds. Show the numbers as well. */
export function BudgetBar({ budget }: { budget: Budget }): ReactElement | null {
  const { actual, forecast, thresholds } = budget;
  if (actual === null) return null;
  const amount = nanoFrom(budget.amount);
  const [used, projected] = [percentOf(nanoFrom(actual), amount), percentOf(nanoFrom(forecast ?? actual), amount)];
  // Amounts over the budget must fit as well.
  const end = Math.max(100, used, projected, ...thresholds.map(({ percent }) => percent));
  // Negative amounts (credits) have no length.
  const position = (percent: number) => `${(Math.max(percent, 0) / end) * 100}%`;
  return (
    <div
      className="budget-bar"
      role="img"
      aria-label={`${percentText(used)} of ${formatMoney(amount)} used, forecast ${percentText(projected)}`}
    >
      <span className={projected > 100 ? 'heading over' : 'heading'} style={{ width: position(projected) }} />
      <span className={used > 100 ? 'used over' : 'used'} style={{ width: position(used) }} />
      {thresholds.map(({ percent, measure }) => (
        <span
          key={`${percent} ${measure}`}
          className={measure === 'ACTUAL' ? 'share' : 'share forecast'}
          style={{ left: position(percent) }}
        />
      ))}
    </div>
  );
}

/** A percentage, with one decimal below 10. It is 100 only for the exact total: less is at most 99, and more at least 101. */
export function percentOf(part: bigint, total: bigint): number {
  const percent = total === 0n ? 0 : Number((part * 1000n) / total) / 10;
  if (percent < 10) return percent;
  const whole = Math.round(percent);
  return part < total ? Math.min(whole, 99) : part > total ? Math.max(whole, 101) : 100;
}

/** The text of a percentage of `percentOf`. */
export function percentText(percent: number): string {
  return formatPercent(percent, 1);
}
