import type { ClipboardEvent, ReactElement } from 'react';
import { exactMoney, formatFineMoney, formatMoney } from './money.js';
import { decimalFrom } from './decimal.js';

interface MoneyProps {
  nano: bigint;
  className?: string;
  isFine?: boolean;
}

/** An amount rounded to the cent; with `isFine`, an amount under a cent has more digits. The exact amount is shown on hover and used when only the amount is copied. */
export function Money({ nano, className, isFine = false }: MoneyProps): ReactElement {
  const text = isFine ? formatFineMoney(nano) : formatMoney(nano);
  const copyExact = (event: ClipboardEvent) => {
    if (document.getSelection()?.toString().trim() !== text) return;
    event.clipboardData.setData('text/plain', decimalFrom(nano));
    event.preventDefault();
  };
  return (
    <span className={className} title={exactMoney(nano)} onCopy={copyExact}>
      {text}
    </span>
  );
}
