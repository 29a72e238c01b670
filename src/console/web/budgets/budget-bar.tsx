import type { ReactElement } from 'react';
import { nanoFrom } from '../look/decimal.js';
import { formatMoney } from '../look/money.js';
import type { Budget } from './budget-queries.js';

/** How much of it is used, where it is heading, and the shares that are told of. The numbers stand beside it. */
export function BudgetBar({ budget }: { budget: Budget }): ReactElement | null {
  const { actual, forecast, thresholds } = budget;
  if (actual === null) return null;
  const amount = nanoFrom(budget.amount);
  const [used, heading] = [percentOf(nanoFrom(actual), amount), percentOf(nanoFrom(forecast ?? actual), amount)];
  // What is over the amount has to fit, too.
  const end = Math.max(100, used, heading, ...thresholds.map(({ percent }) => percent));
  // What credits bring below nothing has no length.
  const place = (percent: number) => `${(Math.max(percent, 0) / end) * 100}%`;
  return (
    <div
      className="budget-bar"
      role="img"
      aria-label={`${used} % of ${formatMoney(amount)} is used, heading for ${heading} %`}
    >
      <span className={heading > 100 ? 'heading over' : 'heading'} style={{ width: place(heading) }} />
      <span className={used > 100 ? 'used over' : 'used'} style={{ width: place(used) }} />
      {thresholds.map(({ percent, of }) => (
        <span
          key={`${percent} ${of}`}
          className={of === 'ACTUAL' ? 'share' : 'share forecast'}
          style={{ left: place(percent) }}
        />
      ))}
    </div>
  );
}

/** With a decimal where that says something. */
export function percentOf(part: bigint, whole: bigint): number {
  const percent = whole === 0n ? 0 : Number((part * 1000n) / whole) / 10;
  return percent < 10 ? percent : Math.round(percent);
}
