// The time zone of the costs view. It uses the same rules as the service (decision 130), so that whole days here are whole
// buckets there.
import { timeZoneOf } from '../../../metering/time-zone.js';
import type { TimeZone } from '../../../metering/time-zone.js';
import { browserZone } from '../look/locale.js';
import { offsetText } from '../look/time.js';

export type { TimeZone };

const utc = timeZoneOf('UTC');

/** A time zone by name; UTC, as in the API, for no or an unknown name. */
export function zoneOf(name: string | undefined): TimeZone {
  const zone = (name === undefined ? undefined : timeZoneOf(name)) ?? utc;
  if (zone === undefined) throw new Error('The runtime does not know UTC.');
  return zone;
}

/** The value of a time zone in the URL; undefined for UTC. */
export function zoneSearch(zone: TimeZone): string | undefined {
  return zone.isUtc ? undefined : zone.name;
}

/** A short name, such as New York for America/New_York. */
export function placeOf(zone: TimeZone): string {
  return zone.name.split('/').at(-1)?.replaceAll('_', ' ') ?? zone.name;
}

/** The UTC offset at a time, such as UTC−4. */
export function zoneOffsetAt(zone: TimeZone, at: Date): string {
  return offsetText((zone.wallOf(at.getTime()) - at.getTime()) / 60_000);
}

/** The time zone of the browser. */
export function zoneOfViewer(): string {
  return browserZone();
}

/** UTC, the browser's time zone and all others that the browser supports. */
export function zoneNames(): string[] {
  return [...new Set(['UTC', zoneOf(zoneOfViewer()).name, ...Intl.supportedValuesOf('timeZone')])];
}

const keptAt = 'console:zone';

/** The last selected time zone, which is the default if the URL has none. */
export function keptZone(): TimeZone {
  return zoneOf(localStorage.getItem(keptAt) ?? undefined);
}

export function keepZone(zone: TimeZone): void {
  localStorage.setItem(keptAt, zone.name);
}
