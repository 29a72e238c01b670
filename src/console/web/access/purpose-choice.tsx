import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { purposeNames, purposes } from './purposes.js';
import type { Purpose } from './purposes.js';

/** What a program may do. */
export function PurposeChoice({
  value,
  onChange,
}: {
  value: Purpose;
  onChange: (purpose: Purpose) => void;
}): ReactElement {
  const options = purposeNames.map((name) => ({ value: name, label: purposes[name].label }));
  return <Choice label="It may" value={value} options={options} onChange={onChange} />;
}
