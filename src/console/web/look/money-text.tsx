import type { ClipboardEvent, ReactElement } from 'react';
import { exactMoney, formatMoney } from './money.js';
import { decimalFrom } from './decimal.js';

/** An amount rounded to the cent. The exact amount is shown on hover and used when only the amount is copied. */
export function Money({ nano, className }: { nano: bigint; className?: string }): ReactElement {
  const text = formatMoney(nano);
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
