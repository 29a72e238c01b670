import { useState } from 'react';
import type { ReactElement } from 'react';
import type { FieldShape } from '../build/input-shapes.js';
import { Icon } from '../look/icon.js';
import { fieldWord } from '../look/labels.js';
import type { Plain } from '../resources/spec-text.js';
import { useFormContext } from './form-context.js';
import { isFields } from './patch.js';

interface PairsFieldProps {
  shape: FieldShape;
  path: string;
  value: Plain | undefined;
  onChange: (value: Plain | undefined) => void;
}

type Pair = readonly [key: string, value: string];

/** Keys and values, one pair per line. The document has them as a map, so pairs without a key are only kept here. */
export function PairsField({ shape, path, value, onChange }: PairsFieldProps): ReactElement {
  const { problems, onLeave } = useFormContext();
  const known = isFields(value) ? Object.entries(value).map(([key, each]): Pair => [key, String(each)]) : [];
  const [pairs, setPairs] = useState<readonly Pair[]>(known);
  const shown = isSame(mapOf(pairs), mapOf(known)) ? pairs : known;
  const write = (next: readonly Pair[]) => {
    setPairs(next);
    const map = mapOf(next);
    onChange(Object.keys(map).length === 0 ? undefined : map);
  };
  const word = fieldWord(shape.name);
  const keys = shown.map(([key]) => key);
  const twice = new Set(keys.filter((key, index) => key !== '' && keys.indexOf(key) !== index));
  const wrong = [
    ...[...problems].filter(([at]) => at === path || at.startsWith(`${path}.`)).map(([, text]) => text),
    ...[...twice].map((key) => `${key} is set more than once: the last value is used`),
    ...(shown.some(([key, each]) => key === '' && each !== '') ? ['A value without a key is left out'] : []),
  ];
  return (
    <fieldset className="form-row pairs" onBlur={() => onLeave(path)}>
      <legend className="hidden">{word}</legend>
      <span className="form-label" aria-hidden="true" title={path}>
        {word}
      </span>
      <div className="pair-list">
        {shown.map(([key, each], index) => (
          <span key={index} className="pair">
            <input
              className="field"
              aria-label={`Key ${index + 1} of ${word.toLowerCase()}`}
              placeholder="Key"
              value={key}
              onChange={(event) => write(shown.with(index, [event.target.value, each]))}
            />
            <input
              className="field"
              aria-label={`Value ${index + 1} of ${word.toLowerCase()}`}
              placeholder="Value"
              value={each}
              onChange={(event) => write(shown.with(index, [key, event.target.value]))}
            />
            <button
              type="button"
              className="button bare square"
              aria-label={`Remove ${key === '' ? 'this pair' : key}`}
              onClick={() => write(shown.toSpliced(index, 1))}
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
        <button type="button" className="button" onClick={() => setPairs([...shown, ['', '']])}>
          Add to {word.toLowerCase()}
        </button>
      </div>
      <p className={wrong.length === 0 ? 'form-note quiet' : 'form-note wrong'}>
        {wrong.length === 0 ? shape.hint : wrong.join('. ')}
      </p>
    </fieldset>
  );
}

function mapOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(([key]) => key !== ''));
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
