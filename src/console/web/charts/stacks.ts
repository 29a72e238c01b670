// Stacks the parts of a bar: costs upwards from zero, credits downwards.
import { dollarsOf } from '../look/money.js';
import type { Bars } from './bars.js';

type Stacked = Pick<Bars, 'key' | 'colour' | 'nanos'>;

/** A part of a bar, in dollars; `to` is the greater. */
export interface Part {
  key: string;
  colour: string;
  from: number;
  to: number;
}

/** The parts of a bar. Both sides are stacked separately, so that parts do not overlap. */
export function stackOf(series: readonly Stacked[], index: number): Part[] {
  let [head, foot] = [0n, 0n];
  return series.map(({ key, colour, nanos }) => {
    const nano = nanos[index] ?? 0n;
    const [from, to] = nano < 0n ? [foot + nano, foot] : [head, head + nano];
    if (nano < 0n) foot = from;
    else head = to;
    return { key, colour, from: dollarsOf(from), to: dollarsOf(to) };
  });
}

/** The lower and upper end of a bar. */
export function endsOf(series: readonly Stacked[], index: number): { foot: number; head: number } {
  const parts = stackOf(series, index);
  return {
    foot: Math.min(0, ...parts.map(({ from }) => from)),
    head: Math.max(0, ...parts.map(({ to }) => to)),
  };
}
