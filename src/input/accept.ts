// Accept and Accept-Encoding headers (RFC 9110, section 12.5). A range with the weight 0 is not acceptable.

/** A media range or an encoding, in lower case, and its weight from 0 to 1. */
export interface WeightedRange {
  name: string;
  weight: number;
}

/** Reads the ranges of an Accept or Accept-Encoding header in their order. Parameters other than `q` are ignored. */
export function weightedRanges(header: string): WeightedRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
      return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
    });
}

/**
 * The weight that an Accept header gives a media type, by the most specific range that matches: 0 if the media type is
 * not acceptable. A request without the header accepts everything.
 */
export function mediaTypeWeight(accept: string | undefined, mediaType: string): number {
  const ranges = weightedRanges(accept || '*/*');
  const patterns = [mediaType, `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, '*/*'];
  const matching = patterns.map((pattern) => ranges.filter(({ name }) => name === pattern));
  const mostSpecific = matching.find((each) => each.length > 0) ?? [];
  return Math.max(0, ...mostSpecific.map(({ weight }) => weight));
}

/** Returns whether an Accept header names this media type, as the header of a browser names `text/html`. */
export function namesMediaType(accept: string | undefined, mediaType: string): boolean {
  return weightedRanges(accept ?? '').some(({ name, weight }) => name === mediaType && weight > 0);
}
