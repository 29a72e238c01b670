// Zones of the IANA database, as Node carries it: when their days begin, and what their clocks show.
import type { Instant } from './instant.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** More than any zone is off UTC, on either side. */
const offsetMsMax = 16 * hourMs;

/** What a clock on the wall shows, as the milliseconds since 1970 that it would be if it were in UTC. */
type WallMs = number;

const known = new Map<string, TimeZone>();

/** A zone by its name in any case, also by one of its older names; undefined for a name of none. */
export function timeZoneOf(name: string): TimeZone | undefined {
  // Node takes offsets too, which have no name of their own and no days of change.
  if (!/^[A-Za-z][\w+\-/]{0,63}$/.test(name)) return undefined;
  const format = formatOf(name);
  if (format === undefined) return undefined;
  const canonical = format.resolvedOptions().timeZone;
  const zone = known.get(canonical) ?? new TimeZone(canonical, format);
  known.set(canonical, zone);
  return zone;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export class TimeZone {
  constructor(
    readonly name: string,
    private readonly format: Intl.DateTimeFormat,
  ) {}

  get isUtc(): boolean {
    return this.name === 'UTC';
  }

  /** What the zone's clocks show at a time. */
  wallOf(ms: number): WallMs {
    const second = Math.floor(ms / 1000);
    const [, month, day, year, hour, minute, seconds] =
      /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(this.format.format(second * 1000)) ?? [];
    const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(seconds));
    return wall + (ms - second * 1000);
  }

  private offsetAt(ms: number): number {
    return this.wallOf(ms) - ms;
  }

  /**
   * The first time at which the clocks show so much or more. Where they are put back over it that is the first of two, and
   * where they are put forward over it, the time at which they are.
   */
  firstAt(wall: WallMs): number {
    const before = this.offsetAt(wall - offsetMsMax);
    const after = this.offsetAt(wall + offsetMsMax);
    const shown = [wall - before, wall - after].filter((ms) => this.wallOf(ms) === wall);
    return shown.length > 0 ? Math.min(...shown) : this.changeBetween(wall - after, wall - before);
  }

  /** When the clocks are changed after one time, and not after the other; undefined where they are not. */
  changeWithin(after: number, last: number): number | undefined {
    return this.offsetAt(after) === this.offsetAt(last) ? undefined : this.changeBetween(after, last);
  }

  /** When the clocks are changed, which they are once between these times. */
  private changeBetween(before: number, after: number): number {
    const offset = this.offsetAt(before);
    let [last, first] = [before, after];
    while (first - last > 1000) {
      const middle = Math.floor((last + first) / 2000) * 1000;
      if (this.offsetAt(middle) === offset) last = middle;
      else first = middle;
    }
    return first;
  }

  /** The time at which the clocks show the same so many days later, or so many years later. */
  later(start: Instant, by: { days: number } | { years: number }): Instant {
    const ms = start.hour * hourMs + Math.floor(start.nano / 1_000_000);
    const wall = this.wallOf(ms);
    return instantAt(
      this.firstAt('days' in by ? wall + by.days * dayMs : yearsLater(wall, by.years)),
      start.nano % 1_000_000,
    );
  }
}

/** The same date of a later year; of 29 February, 1 March (decision 32). */
function yearsLater(wall: WallMs, years: number): WallMs {
  const date = new Date(wall);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/** A time as an instant, and some nanoseconds more. */
export function instantAt(ms: number, nanos = 0): Instant {
  const hour = Math.floor(ms / hourMs);
  return { hour, nano: (ms - hour * hourMs) * 1_000_000 + nanos };
}
