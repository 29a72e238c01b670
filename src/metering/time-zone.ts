// IANA time zones from Node's data: when days start, and local time.
import type { Instant } from './instant.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** More than the UTC offset of any zone, in either direction. */
const offsetMsMax = 16 * hourMs;

/** A local time, as the milliseconds since 1970 that it would be in UTC. */
type WallMs = number;

const known = new Map<string, TimeZone>();

/** Finds a zone by its name or an alias, ignoring case; undefined for an unknown name. */
export function timeZoneOf(name: string): TimeZone | undefined {
  // Node also accepts UTC offsets, which are not zones.
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

  /** Returns the local time at a time. */
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
   * Returns the first time at which the local time is at least `wall`. For a repeated local time that is the first of
   * the two; for a skipped one, the time of the clock change.
   */
  firstAt(wall: WallMs): number {
    const before = this.offsetAt(wall - offsetMsMax);
    const after = this.offsetAt(wall + offsetMsMax);
    const shown = [wall - before, wall - after].filter((ms) => this.wallOf(ms) === wall);
    return shown.length > 0 ? Math.min(...shown) : this.changeBetween(wall - after, wall - before);
  }

  /** Returns when the offset changes between two times; undefined when it does not. */
  changeWithin(after: number, last: number): number | undefined {
    return this.offsetAt(after) === this.offsetAt(last) ? undefined : this.changeBetween(after, last);
  }

  /** Finds the offset change between two times by bisection. There must be exactly one. */
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

  /** Adds days or years in local time. */
  later(start: Instant, by: { days: number } | { years: number }): Instant {
    const ms = start.hour * hourMs + Math.floor(start.nano / 1_000_000);
    const wall = this.wallOf(ms);
    return instantAt(
      this.firstAt('days' in by ? wall + by.days * dayMs : yearsLater(wall, by.years)),
      start.nano % 1_000_000,
    );
  }
}

/** Adds years to a date. 29 February becomes 1 March (decision 32). */
function yearsLater(wall: WallMs, years: number): WallMs {
  const date = new Date(wall);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/** Converts a time in milliseconds, plus nanoseconds, to an instant. */
export function instantAt(ms: number, nanos = 0): Instant {
  const hour = Math.floor(ms / hourMs);
  return { hour, nano: (ms - hour * hourMs) * 1_000_000 + nanos };
}
