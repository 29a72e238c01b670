import { browserZone, dateFormat, numberFormat } from './locale.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const dateTime = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const dateTimeThisYear = dateFormat({
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const day = dateFormat({ weekday: 'long', day: 'numeric', month: 'long' });
const dayWithYear = dateFormat({ dateStyle: 'full' });
const exact = dateFormat({ dateStyle: 'full', timeStyle: 'long' });

/** A relative time if less than a day away, else the date and time. */
export function formatTime(time: string, nowMs: number): string {
  const atMs = Date.parse(time);
  const size = Math.abs(nowMs - atMs);
  if (size >= dayMs) return formatMoment(time, nowMs);
  const [amount, unit] = size < minuteMs ? [0, ''] : size < hourMs ? [size / minuteMs, 'm'] : [size / hourMs, 'h'];
  if (unit === '') return 'just now';
  return nowMs >= atMs ? `${Math.floor(amount)} ${unit} ago` : `in ${Math.ceil(amount)} ${unit}`;
}

/** The date and time, without the year if it is this one. */
export function formatMoment(time: string, nowMs: number): string {
  const atMs = Date.parse(time);
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? dateTimeThisYear : dateTime).format(atMs);
}

/** Today, Yesterday, or the date, in the viewer's zone. */
export function formatDay(time: string, nowMs: number): string {
  const [at, now] = [new Date(time), new Date(nowMs)];
  if (at.toDateString() === now.toDateString()) return 'Today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return (at.getFullYear() === now.getFullYear() ? day : dayWithYear).format(at);
}

/** The absolute date and time, for texts that must not change over time. */
export function formatDate(time: string): string {
  return dateTime.format(Date.parse(time));
}

/** The day alone, such as Oct 23, 2026. */
export function formatDayOf(time: string): string {
  return dateFormat({ dateStyle: 'medium' }).format(Date.parse(time));
}

/** The time of day, such as 2:02 PM, below a heading with the day. */
export function formatClock(time: string): string {
  return dateFormat({ timeStyle: 'short' }).format(Date.parse(time));
}

/** With seconds and the zone: for hovering. */
export function exactTime(time: string): string {
  return exact.format(Date.parse(time));
}

/** A duration, such as 1 h 04 m, 3 m 20 s, 8 s. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} m`;
}

/**
 * Labels for the ticks of an axis of time. Under a minute they have up to two decimals, so that no two ticks of a run of
 * a second or two read the same.
 *
 * @param ticks milliseconds since the start of the axis, in order.
 */
export function formatDurationTicks(ticks: readonly number[]): string[] {
  const lastMs = ticks.at(-1) ?? 0;
  if (lastMs >= minuteMs) return ticks.map(formatDuration);
  const seconds = numberFormat({ maximumFractionDigits: lastMs < 4_000 ? 2 : 1 });
  return ticks.map((ms) => `${seconds.format(ms / 1000)} s`);
}

/** Such as 85 ms, or 1.2 s. */
export function formatMs(ms: number): string {
  if (ms < 1000) return `${numberFormat().format(ms)} ms`;
  return `${numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(ms / 1000)} s`;
}

/** The viewer's zone, such as Europe/Lisbon (UTC+1). */
export function zoneName(): string {
  const timeZone = browserZone();
  return timeZone === 'UTC' ? 'UTC' : `${timeZone.replaceAll('_', ' ')} (${zoneOffset()})`;
}

/** The viewer's current UTC offset, such as UTC+1. */
export function zoneOffset(): string {
  return offsetText(-new Date().getTimezoneOffset());
}

/** The text of a UTC offset in minutes, such as UTC−3:30. */
export function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.round(Math.abs(minutes) % 60)];
  const text = `${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '−' : '+'}${text}`;
}
