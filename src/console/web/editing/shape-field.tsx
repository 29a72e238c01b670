import type { ReactElement } from 'react';
import type { FieldShape } from '../build/input-shapes.js';
import { fieldWord } from '../look/labels.js';
import type { Plain } from '../resources/spec-text.js';
import { withField } from './document-path.js';
import { PairsField } from './pairs-field.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';
import { ScalarField } from './scalar-field.js';
import { choicesOf, isInput, isPair, shapesOf } from './shapes.js';

export interface FieldProps {
  shape: FieldShape;
  path: string;
  value: Plain | undefined;
  onChange: (value: Plain | undefined) => void;
}

/** The field of a form for any shape. */
export function ShapeField(props: FieldProps): ReactElement {
  const { shape } = props;
  if (!isInput(shape)) return <ScalarField {...props} />;
  if (!shape.isList) return <ShapeFields {...props} />;
  return isPair(shape) ? <PairsField {...props} /> : <ListField {...props} />;
}

/** The fields of an input, required ones first. */
export function ShapeFields({ shape, path, value, onChange }: FieldProps): ReactElement {
  const fields = isFields(value) ? value : {};
  return (
    <>
      {shapesOf(shape.type)
        .toSorted((one, other) => weightOf(one) - weightOf(other))
        .map((field) => (
          <ShapeField
            key={field.name}
            shape={field}
            path={`${path}.${field.name}`}
            value={fields[field.name]}
            onChange={(next) => onChange(withField(fields, field.name, next))}
          />
        ))}
    </>
  );
}

function ListField({ shape, path, value, onChange }: FieldProps): ReactElement {
  const items = Array.isArray(value) ? value : [];
  const word = fieldWord(shape.name);
  return (
    <fieldset className="form-group">
      <legend>
        {word}
        {shape.hint !== '' && <span className="quiet">{shape.hint}</span>}
      </legend>
      {items.map((item, index) => (
        <div key={index} className="form-item" role="group" aria-label={`${word} ${index + 1}`}>
          <header>
            <span className="quiet">{index + 1}</span>
            <button
              type="button"
              className="button bare"
              aria-label={`Remove ${word.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(items.length === 1 ? undefined : items.toSpliced(index, 1))}
            >
              Remove
            </button>
          </header>
          <ShapeFields
            shape={shape}
            path={`${path}.${index}`}
            value={item}
            onChange={(next) => onChange(items.with(index, next ?? {}))}
          />
        </div>
      ))}
      <button type="button" className="button" onClick={() => onChange([...items, firstOf(shape)])}>
        Add to {word.toLowerCase()}
      </button>
    </fieldset>
  );
}

/** A new item, with the first value of each required enum. */
function firstOf({ type }: FieldShape): Fields {
  return Object.fromEntries(
    shapesOf(type).flatMap((field): [string, Plain][] => {
      const [first] = choicesOf(field) ?? [];
      return field.isRequired && first !== undefined ? [[field.name, first]] : [];
    }),
  );
}

/** The order of fields: required ones first, then single-line ones, then nested ones. */
function weightOf(shape: FieldShape): number {
  return (isInput(shape) ? 2 : 0) + (shape.isRequired ? 0 : 1) + (isInput(shape) && shape.isList ? 2 : 0);
}
