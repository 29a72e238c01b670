import { useState } from 'react';
import type { ReactElement } from 'react';
import { coloursOf, otherColour } from '../charts/colours.js';
import type { Bars } from '../charts/bars.js';
import type { Change } from '../activity/activity-queries.js';
import { actionLabel } from '../activity/change-labels.js';
import { changeSummary } from '../activity/change-summary.js';
import { StackedBars } from '../charts/stacked-bars.js';
import { dateFormat } from '../look/locale.js';
import type { CostAnswer } from './cost-query.js';
import { groupingText } from './costs-search.js';
import type { Grouping, Resolution } from './costs-search.js';
import { sizeOf } from './comparison.js';
import { labelOf } from './groups.js';
import type { Group } from './groups.js';
import { daysOf } from './window.js';
import type { Window } from './window.js';
import { zoneOffsetAt } from './zone.js';
import type { TimeZone } from './zone.js';

const seriesMax = 8;

interface CostChartProps {
  answer: CostAnswer;
  by: readonly Grouping[];
  before: readonly bigint[] | undefined;
  /** The changes of the resources in the chart. */
  changes: readonly Change[];
  window: Window;
  zone: TimeZone;
  /** Called with the clicked group, if any, and the period of the clicked bar. */
  onPick: (key: string | undefined, window: Window) => void;
  onZoom: (window: Window) => void;
}

/** The costs in each bucket by group. Smaller groups are combined. */
export function CostChart({ answer, by, before, changes, window, zone, onPick, onZoom }: CostChartProps): ReactElement {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = greatest(answer.groups);
  const colours = coloursOf(shown.map((group) => colourName(group, by)));
  const series: Bars[] = shown.map((group) => ({
    key: group.key,
    label: labelOf(group, by),
    colour: colours.get(colourName(group, by)) ?? otherColour,
    nanos: group.nanos,
  }));
  const rest = answer.bucketTotals.map((total, index) =>
    series.reduce((left, { nanos }) => left - (nanos[index] ?? 0n), total),
  );
  if (rest.some((nano) => nano !== 0n)) series.push({ key: 'other', label: 'Other', colour: otherColour, nanos: rest });
  const shownSeries = series.filter(({ key }) => !hidden.has(key));
  const toggle = (key: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const ends = answer.timestamps.map((_start, index) => answer.timestamps[index + 1] ?? window.to);
  const windowOf = (first: number, last: number): Window | undefined => {
    const [start, end] = [answer.timestamps[first], ends[last]];
    if (start === undefined || end === undefined) return undefined;
    return { from: start < window.from ? window.from : start, to: end };
  };
  const isOfOneDay = daysOf(window, zone) <= 1;
  const now = new Date().toISOString();
  const running = answer.timestamps.findIndex((timestamp, index) => timestamp <= now && now < (ends[index] ?? ''));
  return (
    <>
      <StackedBars
        label={`Cost by ${by.map(groupingText).join(' and ')}`}
        height={260}
        series={shownSeries}
        // It is of all series.
        before={shownSeries.length === series.length ? before : undefined}
        marks={marksOf(changes, answer.timestamps, window.to)}
        running={running === -1 ? undefined : running}
        buckets={answer.timestamps.map((timestamp) => ({
          timestamp,
          tick: tickOf(timestamp, answer.resolution, zone, isOfOneDay),
          title: titleOf(timestamp, answer.resolution, zone),
        }))}
        onPick={(key, bucket) => {
          const picked = windowOf(bucket, bucket);
          if (picked !== undefined) onPick(key, picked);
        }}
        onZoom={(first, last) => {
          const zoomed = windowOf(first, last);
          if (zoomed !== undefined) onZoom(zoomed);
        }}
      />
      <ul className="legend">
        {series.map(({ key, label, colour }) => (
          <li key={key}>
            <button
              type="button"
              className={hidden.has(key) ? 'legend-item off' : 'legend-item'}
              aria-pressed={!hidden.has(key)}
              title={hidden.has(key) ? `Show ${label}` : `Hide ${label}`}
              onClick={() => toggle(key)}
            >
              <span className="swatch" style={{ background: colour }} />
              {label}
            </button>
          </li>
        ))}
        {before !== undefined && shownSeries.length === series.length && (
          <li>
            <span className="before-key" /> Previous period
          </li>
        )}
      </ul>
    </>
  );
}

/** The changes in each bucket, such as "invoice-triage: Max scale 4 → 40". */
function marksOf(changes: readonly Change[], timestamps: readonly string[], end: string): string[][] {
  return timestamps.map((start, index) => {
    const next = timestamps[index + 1] ?? end;
    return changes
      .filter(({ time }) => Date.parse(start) <= Date.parse(time) && Date.parse(time) < Date.parse(next))
      .map((change) => {
        const summary = change.action === 'UPDATED' ? changeSummary(change) : actionLabel(change.action);
        return `${change.name ?? ''}: ${summary}`;
      });
  });
}

/** The groups with the largest amounts, including credits, in their original order. */
function greatest(groups: readonly Group[]): Group[] {
  const bySize = groups.toSorted((one, other) => Number(sizeOf(other.nano) - sizeOf(one.nano)));
  const chosen = new Set(bySize.slice(0, seriesMax));
  return groups.filter((group) => chosen.has(group));
}

/** The key of a group's colour. A single value keeps its colour in every view. */
function colourName(group: Group, by: readonly Grouping[]): string {
  const [only] = by;
  return by.length === 1 && only !== undefined ? (group.values[only] ?? '') : group.key;
}

/** The label of a bucket on the axis. Hours have their weekday, because they repeat every day. */
export function tickOf(timestamp: string, resolution: Resolution, zone: TimeZone, isOfOneDay: boolean): string {
  const options: Intl.DateTimeFormatOptions =
    resolution === 'hourly'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...(isOfOneDay ? {} : { weekday: 'short' }) }
      : resolution === 'monthly'
        ? { month: 'short', year: '2-digit' }
        : { day: 'numeric', month: 'short' };
  return dateFormat({ ...options, timeZone: zone.name }).format(Date.parse(timestamp));
}

function titleOf(timestamp: string, resolution: Resolution, zone: TimeZone): string {
  const time = new Date(timestamp);
  const timeZone = zone.name;
  if (resolution === 'hourly') {
    // With the UTC offset, because an hour appears twice when clocks are put back.
    const shown = dateFormat({ dateStyle: 'medium', timeStyle: 'short', timeZone }).format(time);
    return `${shown} ${zoneOffsetAt(zone, time)}`;
  }
  if (resolution === 'monthly') return dateFormat({ month: 'long', year: 'numeric', timeZone }).format(time);
  const day = dateFormat({ dateStyle: 'full', timeZone }).format(time);
  return resolution === 'weekly' ? `Week of ${day}` : day;
}
