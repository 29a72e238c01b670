import { refusal } from './problem.js';

/** Bytes of a spec as JSON: far more than the largest that is of use, and little enough for a page of two hundred. */
const specBytesMax = 65_536;

/** Whether a spec is small enough to be kept: the rule of every spec, for `refine`. */
export function isOfKeptSize(spec: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(spec)) <= specBytesMax;
}

export const keptSize = refusal('too_large', `must be at most ${specBytesMax} bytes as JSON`);
