import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { fieldWord } from '../look/labels.js';
import { unsetText } from './default-text.js';
import { FieldRow } from './field-row.js';
import { useFormContext } from './form-context.js';
import { ScalarField } from './scalar-field.js';
import type { FieldProps } from './shape-field.js';

/** The regions of the platform, or a text if they could not be loaded. */
export function RegionField(props: FieldProps): ReactElement {
  const { shape, path, value, onChange } = props;
  const regions = useFormContext().resource?.regions;
  const current = typeof value === 'string' ? value : '';
  if (regions?.length === 0) return <ScalarField {...props} />;
  const known = regions?.includes(current) === true || current === '' ? (regions ?? []) : [current, ...(regions ?? [])];
  const unset = { value: '', label: shape.isRequired ? 'Choose a region' : unsetText(shape) };
  return (
    <FieldRow path={path} label={fieldWord(shape.name)} hint={shape.hint} isRequired={shape.isRequired}>
      {(ids) => (
        <Choice
          label={fieldWord(shape.name)}
          ids={ids}
          value={current}
          options={[
            ...(shape.isRequired && current !== '' ? [] : [unset]),
            ...known.map((each) => ({ value: each, label: each })),
            ...(regions === undefined ? [{ value: 'loading', label: 'Loading regions…', isDisabled: true }] : []),
          ]}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      )}
    </FieldRow>
  );
}
