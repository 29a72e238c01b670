import type { ReactElement } from 'react';
import { fieldWord } from '../look/labels.js';
import { FieldRow } from './field-row.js';
import { nameProblem } from './name-rules.js';
import type { FieldProps } from './shape-field.js';

/** The name of a resource, with its rules as you type. */
export function NameField({ shape, path, value, onChange }: FieldProps): ReactElement {
  const name = typeof value === 'string' ? value : '';
  return (
    <FieldRow
      path={path}
      label={fieldWord(shape.name)}
      hint="Unique, and cannot be changed. Lowercase letters, digits and hyphens."
      isRequired={shape.isRequired}
      problem={nameProblem(name)}
    >
      {({ id, describedBy, isInvalid }) => (
        <input
          className="field mono"
          id={id}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </FieldRow>
  );
}
