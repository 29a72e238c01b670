// What the clocks of a time zone show, as a Date whose UTC fields are those of the clock.
const hourMs = 3_600_000;

/** No clock is further from UTC, and none changes twice within this time (ms). */
const apartMs = 27 * hourMs;

/** The time at which the clocks of a zone first show a given time, or pass it because it is skipped. */
export function timeOfClock(clock: Date, timeZone: string): Date {
  const clockMs = clock.getTime();
  const from = clockMs - apartMs;
  const to = clockMs + apartMs;
  const before = offsetAt(timeZone, from);
  const after = offsetAt(timeZone, to);
  if (before === after) return new Date(clockMs - before);
  const changeMs = changeBetween(timeZone, from, to);
  return new Date(clockMs - before < changeMs ? clockMs - before : Math.max(changeMs, clockMs - after));
}

/** The latest time that the clocks of a zone have shown up to a time. It stands still while clocks repeat an hour. */
export function highestClock(time: Date, timeZone: string): Date {
  const timeMs = time.getTime();
  const from = timeMs - apartMs;
  const before = offsetAt(timeZone, from);
  const now = offsetAt(timeZone, timeMs);
  const repeatedMs = before > now ? changeBetween(timeZone, from, timeMs) + before - 1 : 0;
  return new Date(Math.max(timeMs + now, repeatedMs));
}

/** The first millisecond of the new offset, between two times with different offsets. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const before = offsetAt(timeZone, from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** By how much the clocks of a zone are ahead of UTC (ms). */
function offsetAt(timeZone: string, timeMs: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
  return Number(`${sign}1`) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
