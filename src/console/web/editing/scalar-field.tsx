import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import type { FieldShape } from '../build/input-shapes.js';
import { Choice } from '../look/choice.js';
import { fieldWord } from '../look/labels.js';
import { yamlOf } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';
import { defaultOf, unsetText } from './default-text.js';
import { FieldRow } from './field-row.js';
import type { ControlIds } from './field-row.js';
import { Area, LinesField } from './lines-field.js';
import type { AreaProps } from './lines-field.js';
import { choicesOf } from './shapes.js';
import { useFormContext } from './form-context.js';
import { plainIn } from './document-text.js';

interface ScalarFieldProps {
  shape: FieldShape;
  path: string;
  value: Plain | undefined;
  onChange: (value: Plain | undefined) => void;
}

const notSet = '';

/** A single value, or a list of texts with one per line. */
export function ScalarField(props: ScalarFieldProps): ReactElement {
  const { shape, path } = props;
  return (
    <FieldRow path={path} label={fieldWord(shape.name)} hint={shape.hint} isRequired={shape.isRequired}>
      {(ids) => <Control {...props} ids={ids} />}
    </FieldRow>
  );
}

function Control({ shape, value, onChange, ids }: ScalarFieldProps & { ids: ControlIds }): ReactElement {
  const { type, name, isList, isRequired } = shape;
  const choices = type === 'Boolean' ? ['yes', 'no'] : choicesOf(shape);
  if (choices !== undefined && !isList) {
    const current = typeof value === 'boolean' ? (value ? 'yes' : 'no') : typeof value === 'string' ? value : notSet;
    const options = [...(isRequired ? [] : ['']), ...choices].map((each) => ({
      value: each,
      label: each === '' ? unsetText(shape) : each,
    }));
    return (
      <Choice
        label={fieldWord(name)}
        ids={ids}
        value={current}
        options={options}
        onChange={(next) => onChange(next === notSet ? undefined : type === 'Boolean' ? next === 'yes' : next)}
      />
    );
  }
  if (type === 'JSON') return <FreeField value={value} onChange={onChange} ids={ids} />;
  if (isList) return <LinesField value={value} onChange={onChange} ids={ids} />;
  const isNumber = type === 'Int' || type === 'Float' || type === 'Bytes';
  return (
    <TextField
      value={value}
      name={name}
      ids={ids}
      isNumber={isNumber}
      placeholder={isNumber || defaultOf(shape) !== undefined ? placeholderOf(shape) : ''}
      onChange={(text) => onChange(text === '' ? undefined : isNumber && /^-?\d+$/.test(text) ? Number(text) : text)}
    />
  );
}

function placeholderOf(shape: FieldShape): string {
  return shape.isRequired ? '' : unsetText(shape);
}

interface TextFieldProps {
  value: Plain | undefined;
  name: string;
  ids: ControlIds;
  isNumber: boolean;
  placeholder: string;
  onChange: (text: string) => void;
}

function TextField({ value, name, ids, isNumber, placeholder, onChange }: TextFieldProps): ReactElement {
  const { suggestions } = useFormContext();
  const listId = useId();
  const known = suggestions.get(name);
  return (
    <>
      <input
        className={isNumber ? 'field short' : 'field'}
        id={ids.id}
        dir="auto"
        aria-describedby={ids.describedBy}
        aria-invalid={ids.isInvalid}
        inputMode={isNumber ? 'numeric' : 'text'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={name === 'displayName'}
        placeholder={placeholder}
        list={known === undefined ? undefined : listId}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value)}
      />
      {known !== undefined && (
        <datalist id={listId}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A JSON value, edited as YAML. */
function FreeField({ value, onChange, ids }: AreaProps): ReactElement {
  const [typed, setTyped] = useState<{ text: string; value: Plain | undefined }>();
  // Another item of a list may have taken this place, or the user discarded their changes.
  const isOwn = typed !== undefined && JSON.stringify(typed.value) === JSON.stringify(value);
  return (
    <Area
      ids={ids}
      placeholder="YAML"
      text={isOwn ? typed.text : value === undefined ? '' : yamlOf(value)}
      onText={(text) => {
        const next = text.trim() === '' ? undefined : plainIn(text);
        setTyped({ text, value: next });
        onChange(next);
      }}
    />
  );
}
