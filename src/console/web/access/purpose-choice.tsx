import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { purposeNames, purposes } from './purposes.js';
import type { Purpose } from './purposes.js';

/** A select for the permissions of a credential. */
export function PurposeChoice({
  value,
  onChange,
}: {
  value: Purpose;
  onChange: (purpose: Purpose) => void;
}): ReactElement {
  const options = purposeNames.map((name) => ({ value: name, label: purposes[name].label }));
  return <Choice label="Permissions" value={value} options={options} onChange={onChange} />;
}
