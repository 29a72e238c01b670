// The zone whose hours, days, weeks and months costs are shown by. Its clocks are read by the very rules that the
// service makes its buckets by (decision 130), so that a window of whole days here is one of whole buckets there.
import { timeZoneOf } from '../../../metering/time-zone.js';
import type { TimeZone } from '../../../metering/time-zone.js';
import { offsetText } from '../look/time.js';

export type { TimeZone };

const utc = timeZoneOf('UTC');

/** A zone by its name; UTC, as the API has it, for none and for what is no zone. */
export function zoneOf(name: string | undefined): TimeZone {
  const zone = (name === undefined ? undefined : timeZoneOf(name)) ?? utc;
  if (zone === undefined) throw new Error('there is no UTC');
  return zone;
}

/** How an address names a zone: UTC goes without saying. */
export function zoneSearch(zone: TimeZone): string | undefined {
  return zone.isUtc ? undefined : zone.name;
}

/** Such as New York for America/New_York: short, where the whole name stands elsewhere. */
export function placeOf(zone: TimeZone): string {
  return zone.name.split('/').at(-1)?.replaceAll('_', ' ') ?? zone.name;
}

/** How far its clocks are off UTC at a time, such as UTC−4. */
export function zoneOffsetAt(zone: TimeZone, at: Date): string {
  return offsetText((zone.wallOf(at.getTime()) - at.getTime()) / 60_000);
}

/** Where the browser is. */
export function zoneOfViewer(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** UTC, where the viewer is, and every other one that the browser knows. */
export function zoneNames(): string[] {
  return [...new Set(['UTC', zoneOf(zoneOfViewer()).name, ...Intl.supportedValuesOf('timeZone')])];
}

const keptAt = 'console:zone';

/** The one that was chosen last: what costs open with when their address does not say. */
export function keptZone(): TimeZone {
  return zoneOf(localStorage.getItem(keptAt) ?? undefined);
}

export function keepZone(zone: TimeZone): void {
  localStorage.setItem(keptAt, zone.name);
}
