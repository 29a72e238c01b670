import type { ReactElement } from 'react';
import { lookOf } from './state.js';
import { Time } from './time-text.js';
import type { Tone } from './state.js';
import './state-mark.css';

const shapes: Record<Tone, ReactElement> = {
  healthy: <path d="M3.5 8.5 6.5 11.5 12.5 5" />,
  'in-progress': <path d="M8 2.5a5.5 5.5 0 1 1-5.5 5.5" />,
  stopping: <path d="M4 8h8" />,
  failed: <path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />,
  inactive: <circle cx="8" cy="8" r="3.5" />,
};

/** The icon of a tone. Show the label next to it. */
export function ToneIcon({ tone }: { tone: Tone }): ReactElement {
  return (
    <svg className={`tone-icon ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[tone]}
    </svg>
  );
}

interface StateMarkProps {
  state: string | null | undefined;
  /** The time since when it is unknown whether a deployed resource runs. */
  unknownSince?: string | null | undefined;
}

/** A state: icon, label and colour. */
export function StateMark({ state, unknownSince }: StateMarkProps): ReactElement {
  const look = lookOf(state ?? 'Unknown');
  if (unknownSince != null) {
    return (
      <span className="state-mark stopping" title={`${look.word} when its executor was last seen`}>
        <ToneIcon tone="stopping" />
        <span>
          Unknown since <Time value={unknownSince} />
        </span>
      </span>
    );
  }
  return (
    <span className={`state-mark ${look.tone}`}>
      <ToneIcon tone={look.tone} />
      {look.word}
    </span>
  );
}
