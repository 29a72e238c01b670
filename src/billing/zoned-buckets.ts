// The buckets of a window in local time, and the pieces that each is added up from (decision 130). Pure.
import { LRUCache } from 'lru-cache';
import { compareInstants } from '../metering/instant.js';
import type { Instant } from '../metering/instant.js';
import { instantAt } from '../metering/time-zone.js';
import type { TimeZone } from '../metering/time-zone.js';
import { firstHourOf, splitWindow } from '../metering/window.js';
import type { Edge, Piece, Resolution, Window } from '../metering/window.js';

export interface ZonedBuckets {
  zone: TimeZone;
  /** The start of each bucket. The first can be before the window. */
  starts: Instant[];
  pieces: Piece[];
  /** Parts of hours, each with the index of its bucket. */
  edges: Edge[];
}

/** Caches recent buckets: the costs of a page of resources request the same ones. */
const recent = new LRUCache<string, ZonedBuckets>({ max: 20 });

export function zonedBuckets(window: Window, resolution: Resolution, zone: TimeZone): ZonedBuckets {
  const key = JSON.stringify([window, resolution, zone.name]);
  const buckets = recent.get(key) ?? makeBuckets(window, resolution, zone);
  recent.set(key, buckets);
  return buckets;
}

function makeBuckets(window: Window, resolution: Resolution, zone: TimeZone): ZonedBuckets {
  const starts = startsOf(window, resolution, zone).map((ms) => instantAt(ms));
  const parts = starts.map((start, order) => {
    const next = starts[order + 1] ?? window.end;
    const first = compareInstants(start, window.start) < 0 ? window.start : start;
    const { pieces, edges } = splitWindow({ start: first, end: next }, resolution);
    return { pieces, edges: edges.map((edge) => ({ ...edge, order })) };
  });
  return {
    zone,
    starts,
    pieces: joined(parts.flatMap(({ pieces }) => pieces)),
    edges: parts.flatMap(({ edges }) => edges),
  };
}

/** Returns the index of the bucket that contains a bucket of a level. */
export function orderOf({ starts }: ZonedBuckets, level: number, bucket: number): number {
  const hour = firstHourOf(level, bucket);
  let [from, to] = [0, starts.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    const start = starts[middle];
    if (start !== undefined && compareInstants(start, { hour, nano: 0 }) <= 0) from = middle;
    else to = middle;
  }
  return from;
}

/** Merges adjacent pieces, so that consecutive days are read by one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces.toSorted((one, other) => one.level - other.level || one.from - other.from)) {
    const last = found.at(-1);
    if (last !== undefined && last.level === piece.level && last.to === piece.from) last.to = piece.to;
    else found.push({ ...piece });
  }
  return found;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the starts of the buckets, from the one that contains the start of the window. */
function startsOf({ start, end }: Window, resolution: Resolution, zone: TimeZone): number[] {
  const from = start.hour * hourMs + Math.floor(start.nano / 1_000_000);
  const to = end.hour * hourMs + end.nano / 1_000_000;
  const starts = resolution === 'hourly' ? hoursFrom(from, to, zone) : daysFrom(from, to, resolution, zone);
  return starts.filter((ms, order) => starts[order + 1] !== ms);
}

/** Buckets by the local hour. A clock change starts a new bucket, so a repeated hour has two. */
function hoursFrom(from: number, to: number, zone: TimeZone): number[] {
  const starts = [zone.changeWithin(from - (zone.wallOf(from) % hourMs), from) ?? from - (zone.wallOf(from) % hourMs)];
  for (let at = from; ;) {
    const next = at + hourMs - (zone.wallOf(at) % hourMs);
    at = zone.changeWithin(at, next) ?? next;
    if (at >= to) return starts;
    starts.push(at);
  }
}

/** A day starts when its date first appears in local time. A date that the zone skips has no bucket. */
function daysFrom(from: number, to: number, resolution: Exclude<Resolution, 'hourly'>, zone: TimeZone): number[] {
  let wall = beginOf(resolution, zone.wallOf(from));
  const starts: number[] = [];
  for (let at = zone.firstAt(wall); at < to; at = zone.firstAt(wall)) {
    // When clocks go back over midnight, the next day may already have started.
    if (at <= from) starts.length = 0;
    starts.push(at);
    wall = nextOf(resolution, wall);
  }
  return starts;
}

function beginOf(resolution: Exclude<Resolution, 'hourly'>, wall: number): number {
  const day = Math.floor(wall / dayMs);
  if (resolution === 'daily') return day * dayMs;
  // 1970-01-01 was a Thursday.
  if (resolution === 'weekly') return (Math.floor((day + 3) / 7) * 7 - 3) * dayMs;
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function nextOf(resolution: Exclude<Resolution, 'hourly'>, wall: number): number {
  if (resolution === 'daily') return wall + dayMs;
  if (resolution === 'weekly') return wall + 7 * dayMs;
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
