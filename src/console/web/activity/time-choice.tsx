import type { ReactElement } from 'react';
import { DayFields } from '../costs/day-fields.js';
import { presets } from '../costs/window.js';
import { zoneOf, zoneOfViewer } from '../costs/zone.js';
import { Choice } from '../look/choice.js';
import { formatDate } from '../look/time.js';

const hourMs = 3_600_000;

/** Relative ranges. They become absolute in the URL. */
const spans = {
  hour: { label: 'Last hour', hours: 1 },
  day: { label: 'Last 24 hours', hours: 24 },
  week: { label: 'Last 7 days', hours: 7 * 24 },
  month: { label: 'Last 30 days', hours: 30 * 24 },
} as const;

interface TimeChoiceProps {
  from: string | undefined;
  to: string | undefined;
  onChange: (from: string | undefined, to: string | undefined) => void;
}

/** The date range filter, in the viewer's time zone. */
export function TimeChoice({ from, to, onChange }: TimeChoiceProps): ReactElement {
  const zone = zoneOf(zoneOfViewer());
  const days = from !== undefined && to !== undefined ? { from, to } : undefined;
  const since =
    from === undefined || days !== undefined ? [] : [{ value: 'since', label: `Since ${formatDate(from)}` }];
  const until = to === undefined || days !== undefined ? [] : [{ value: 'until', label: `Until ${formatDate(to)}` }];
  const value = days !== undefined ? 'days' : (since[0]?.value ?? until[0]?.value ?? 'any');
  const week = presets['7d'].window(new Date(), zone);
  return (
    <>
      <Choice
        label="Date range"
        value={value}
        options={[
          { value: 'any', label: 'All time' },
          ...since,
          ...until,
          ...Object.entries(spans).map(([name, { label }]) => ({ value: name, label })),
          { value: 'days', label: 'Custom range' },
        ]}
        onChange={(chosen) => {
          const span = isSpan(chosen) ? spans[chosen] : undefined;
          if (chosen === 'any') onChange(undefined, undefined);
          else if (chosen === 'days') onChange(week.from, week.to);
          else if (span !== undefined) onChange(new Date(Date.now() - span.hours * hourMs).toISOString(), undefined);
        }}
      />
      {days !== undefined && (
        <DayFields
          key={`${days.from} ${days.to}`}
          window={days}
          zone={zone}
          onChange={(window) => onChange(window.from, window.to)}
        />
      )}
    </>
  );
}

function isSpan(name: string): name is keyof typeof spans {
  return Object.hasOwn(spans, name);
}
