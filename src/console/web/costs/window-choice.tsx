import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { datesOf, isPreset, presetOf, presets, windowOfDates, windowText } from './window.js';
import type { Window } from './window.js';
import type { TimeZone } from './zone.js';

interface WindowChoiceProps {
  window: Window;
  zone: TimeZone;
  onChange: (window: Window) => void;
}

/** From when to when: a window that has a name, or any days. */
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
        label="Window"
        value={isOwn || preset === undefined ? 'own' : preset}
        options={[
          ...names.map((value) => ({ value, label: presets[value].label })),
          { value: 'own' as const, label: isOwn ? windowText(window, zone) : 'Days of your choice' },
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

/** The years that the API has costs of. */
const [earliest, latest] = ['2000-01-01', '2099-12-31'];

function DayFields({ window, zone, onChange }: WindowChoiceProps): ReactElement {
  const dates = datesOf(window, zone);
  const [first, setFirst] = useState(dates.first);
  const [last, setLast] = useState(dates.last);
  const chosen = first < earliest || last > latest ? undefined : windowOfDates(first, last, zone);
  const isOther = first !== dates.first || last !== dates.last;
  return (
    <form
      className="day-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined && isOther) onChange(chosen);
      }}
    >
      <DayField label="First day" value={first} isWrong={chosen === undefined} onChange={setFirst} />
      <span aria-hidden="true">–</span>
      <DayField label="Last day" value={last} isWrong={chosen === undefined} onChange={setLast} />
      {isOther && (
        <button type="submit" className="button" disabled={chosen === undefined}>
          Show
        </button>
      )}
    </form>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  isWrong: boolean;
  onChange: (value: string) => void;
}

function DayField({ label, value, isWrong, onChange }: DayFieldProps): ReactElement {
  return (
    <input
      className="field"
      type="date"
      aria-label={label}
      aria-invalid={isWrong}
      min={earliest}
      max={latest}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
