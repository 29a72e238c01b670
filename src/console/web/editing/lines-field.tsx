import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Plain } from '../resources/spec-text.js';
import type { ControlIds } from './field-row.js';

export interface AreaProps {
  value: Plain | undefined;
  onChange: (value: Plain | undefined) => void;
  ids: ControlIds;
}

/** A list of texts, one per line. */
export function LinesField({ value, onChange, ids }: AreaProps): ReactElement {
  const lines = Array.isArray(value) ? value.map(String) : [];
  // Keeps an empty last line while the user types the next value.
  const [text, setText] = useState(() => lines.join('\n'));
  const isOwn = linesOf(text).join('\n') === lines.join('\n');
  return (
    <Area
      ids={ids}
      placeholder="One per line"
      text={isOwn ? text : lines.join('\n')}
      onText={(next) => {
        setText(next);
        const lines = linesOf(next);
        onChange(lines.length === 0 ? undefined : lines);
      }}
    />
  );
}

export function Area({
  ids,
  text,
  placeholder,
  onText,
}: {
  ids: ControlIds;
  text: string;
  placeholder: string;
  onText: (text: string) => void;
}): ReactElement {
  return (
    <textarea
      className="field lines"
      id={ids.id}
      aria-describedby={ids.describedBy}
      aria-invalid={ids.isInvalid}
      placeholder={placeholder}
      spellCheck={false}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
