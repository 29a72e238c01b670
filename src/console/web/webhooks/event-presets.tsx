import type { ReactElement } from 'react';
import { eventPresetNames, eventPresets, presetOf } from './event-groups.js';
import type { FilterInput } from './webhook-draft.js';

interface EventPresetsProps {
  filter: FilterInput;
  onChange: (kinds: NonNullable<FilterInput['kinds']>, actions: NonNullable<FilterInput['actions']>) => void;
}

/** Buttons that choose the events of a common purpose. */
export function EventPresets({ filter, onChange }: EventPresetsProps): ReactElement {
  const chosen = presetOf(filter);
  return (
    <div className="event-presets" role="group" aria-label="Event presets">
      {eventPresetNames.map((name) => {
        const { hint, kinds, actions } = eventPresets[name];
        return (
          <button
            key={name}
            type="button"
            className="button"
            title={hint}
            aria-pressed={chosen === name}
            onClick={() => onChange([...kinds], [...actions])}
          >
            {name}
          </button>
        );
      })}
      <button
        type="button"
        className="button"
        title="Every change"
        aria-pressed={filter.kinds === undefined && filter.actions === undefined}
        onClick={() => onChange([], [])}
      >
        Everything
      </button>
    </div>
  );
}
