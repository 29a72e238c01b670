import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { DayFields } from './day-fields.js';
import { isPreset, presetOf, presets, windowText } from './window.js';
import type { Window } from './window.js';
import type { TimeZone } from './zone.js';

interface WindowChoiceProps {
  window: Window;
  zone: TimeZone;
  onChange: (window: Window) => void;
}

/** The date range: a preset or custom dates. */
export function WindowChoice({ window, zone, onChange }: WindowChoiceProps): ReactElement {
  const preset = presetOf(window, new Date(), zone);
  const [isOwn, setOwn] = useState(preset === undefined);
  useEffect(() => {
    if (preset === undefined) setOwn(true);
  }, [preset]);
  const names = Object.keys(presets).filter(isPreset);
  return (
    <>
      <Choice
        label="Date range"
        value={isOwn || preset === undefined ? 'own' : preset}
        options={[
          ...names.map((value) => ({ value, label: presets[value].label })),
          { value: 'own' as const, label: isOwn ? windowText(window, zone) : 'Custom range' },
        ]}
        onChange={(value) => {
          setOwn(value === 'own');
          if (value !== 'own') onChange(presets[value].window(new Date(), zone));
        }}
      />
      {isOwn && <DayFields key={`${window.from} ${window.to}`} window={window} zone={zone} onChange={onChange} />}
    </>
  );
}
