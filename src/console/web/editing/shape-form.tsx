// A form for any input type of the schema. The fields, their types and descriptions come from schema.graphql. The form
// edits the same document as the text views.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { FieldShape } from '../build/input-shapes.js';
import { fieldWord } from '../look/labels.js';
import type { Plain } from '../resources/spec-text.js';
import { FormContextValue, useFormContext } from './form-context.js';
import type { FormContext } from './form-context.js';
import { PairsField } from './pairs-field.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';
import { ScalarField } from './scalar-field.js';
import { choicesOf, isInput, isPair, shapesOf } from './shapes.js';
import './shape-form.css';

interface ShapeFormProps extends FormContext {
  /** Name of the input type. */
  input: string;
  document: Fields;
  onChange: (document: Fields) => void;
}

/** The fields of `metadata` and `spec` of an input. */
export function ShapeForm({ input, document, onChange, ...context }: ShapeFormProps): ReactElement {
  const parts = shapesOf(input).filter(({ name }) => name === 'metadata' || name === 'spec');
  return (
    <FormContextValue value={context}>
      <div className="shape-form">
        {parts.map((part) => (
          <ShapeFields
            key={part.name}
            shape={part}
            path={part.name}
            value={document[part.name]}
            onChange={(value) => onChange(withField(document, part.name, value ?? {}))}
          />
        ))}
      </div>
    </FormContextValue>
  );
}

interface FieldProps {
  shape: FieldShape;
  path: string;
  value: Plain | undefined;
  onChange: (value: Plain | undefined) => void;
}

function ShapeFields({ shape, path, value, onChange }: FieldProps): ReactElement {
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

function ShapeField(props: FieldProps): ReactElement {
  const { shape } = props;
  if (!isInput(shape)) return <ScalarField {...props} />;
  if (!shape.isList) return <InsideField {...props} />;
  return isPair(shape) ? <PairsField {...props} /> : <ListField {...props} />;
}

/** A nested input, collapsed while it is empty. */
function InsideField(props: FieldProps): ReactElement {
  const { shape, path, value } = props;
  const isFilled = isFields(value);
  const { problems } = useFormContext();
  const hasProblem = [...problems.keys()].some((each) => each.startsWith(`${path}.`));
  const [isOpen, setOpen] = useState(isFilled);
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const inside = shapesOf(shape.type).map(({ name }) => fieldWord(name).toLowerCase());
  return (
    <details className="form-group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {fieldWord(shape.name)} {!isOpen && <span className="quiet cut">{inside.join(', ')}</span>}
      </summary>
      <div className="form-inside">
        <ShapeFields {...props} />
      </div>
    </details>
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

/** Sets a field, or removes it if the value is empty. */
function withField(fields: Fields, name: string, value: Plain | undefined): Fields {
  const { [name]: _before, ...rest } = fields;
  const isEmpty = value === undefined || (isFields(value) && Object.keys(value).length === 0);
  return isEmpty ? rest : { ...fields, [name]: value };
}
