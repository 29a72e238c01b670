import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { FieldShape } from '../build/input-shapes.js';
import { Choice } from '../look/choice.js';
import { capitalize } from '../look/labels.js';
import type { Plain } from '../resources/spec-text.js';
import { CronField } from './cron-field.js';
import { valueAt, withField, withValueAt } from './document-path.js';
import { useFormContext } from './form-context.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';
import { ShapeField } from './shape-field.js';
import type { FieldProps } from './shape-field.js';
import { choicesOf, fieldsBelow, shapesOf } from './shapes.js';
import type { PlacedField } from './shapes.js';

/** The fields that are shown first for each type. All others are under More, or shown if they are set. */
const fieldsByType: Readonly<Record<string, readonly string[]>> = {
  cron: ['configuration.schedule', 'configuration.retry'],
  http: ['configuration.path', 'configuration.authenticationType'],
  'http-async': ['configuration.path', 'configuration.callbackUrl', 'configuration.timeout'],
};

const words: Readonly<Record<string, string>> = { cron: 'cron', http: 'HTTP', 'http-async': 'async HTTP' };

function typeWord(type: string): string {
  return words[type] ?? type;
}

/** The triggers of an agent, each with the fields of its type. */
export function TriggersField({ shape, path, value, onChange }: FieldProps): ReactElement {
  const items = (Array.isArray(value) ? value : []).filter(isFields);
  const types = typesOf(shape);
  const list = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    const triggers = [...(list.current?.querySelectorAll('.trigger') ?? [])];
    if (added > 0) triggers.at(-1)?.querySelector<HTMLElement>('.form-control input')?.focus();
  }, [added]);
  return (
    <div className="triggers" ref={list}>
      {items.map((item, index) => (
        <Trigger
          key={index}
          shape={shape}
          path={`${path}.${index}`}
          number={index + 1}
          value={item}
          types={types}
          onChange={(next) => onChange(items.with(index, next))}
          onRemove={() => onChange(items.length === 1 ? undefined : items.toSpliced(index, 1))}
        />
      ))}
      <div className="trigger-buttons">
        {types.map((type) => (
          <button
            key={type}
            type="button"
            className="button"
            onClick={() => {
              onChange([...items, { type }]);
              setAdded(added + 1);
            }}
          >
            Add {typeWord(type)} trigger
          </button>
        ))}
      </div>
    </div>
  );
}

interface TriggerProps {
  shape: FieldShape;
  path: string;
  number: number;
  value: Fields;
  types: readonly string[];
  onChange: (value: Fields) => void;
  onRemove: () => void;
}

function Trigger({ shape, path, number, value, types, onChange, onRemove }: TriggerProps): ReactElement {
  const { problems } = useFormContext();
  const type = String(value['type']);
  const all = fieldsBelow(shape.type).filter(({ path: at }) => at !== 'type');
  const named = fieldsByType[type] ?? [];
  const first = named.flatMap((at) => all.find((field) => field.path === at) ?? []);
  const others = all.filter((field) => !first.includes(field));
  const isSet = others.some(({ path: at }) => valueAt(value, at) !== undefined);
  const hasProblem = others.some(({ path: at }) => problems.has(`${path}.${at}`));
  const [isOpen, setOpen] = useState(isSet);
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const own = problems.get(path);
  const field = ({ shape: each, path: at }: PlacedField) => {
    const Widget = at === 'configuration.schedule' ? CronField : ShapeField;
    return (
      <Widget
        key={at}
        shape={at === 'configuration.schedule' ? { ...each, isRequired: type === 'cron' } : each}
        path={`${path}.${at}`}
        value={valueAt(value, at)}
        onChange={(next: Plain | undefined) => onChange(withValueAt(value, at, next))}
      />
    );
  };
  return (
    <div className="trigger" role="group" aria-label={`${capitalize(typeWord(type))} trigger ${number}`}>
      <header>
        <Choice
          label={`Type of trigger ${number}`}
          isLabelHidden
          value={type}
          options={types.map((each) => ({ value: each, label: capitalize(typeWord(each)) }))}
          onChange={(next) => onChange(withField(value, 'type', next))}
        />
        <button type="button" className="button bare" aria-label={`Remove trigger ${number}`} onClick={onRemove}>
          Remove
        </button>
      </header>
      {first.map(field)}
      {own !== undefined && <p className="form-note wrong">{own}</p>}
      {others.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>More</summary>
          {others.map(field)}
        </details>
      )}
    </div>
  );
}

function typesOf({ type }: FieldShape): readonly string[] {
  const field = shapesOf(type).find(({ name }) => name === 'type');
  return (field && choicesOf(field)) ?? [];
}
