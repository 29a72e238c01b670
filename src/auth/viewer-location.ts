import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { GeolocationHeaders } from '../config/geo-headers.js';

/** The approximate location of a client, from headers of the network in front of the service. */
export interface ViewerLocation {
  /** ISO 3166-1 alpha-2, such as DE. */
  country: string | undefined;
  /** Two letters, such as EU. */
  continent: string | undefined;
  /** The name or code of a state or province. */
  subdivision: string | undefined;
  city: string | undefined;
  /** In degrees; undefined unless the network sends both. */
  position: { latitude: number; longitude: number } | undefined;
}

/** The location of a caller without such headers. */
export const unknownLocation: ViewerLocation = {
  country: undefined,
  continent: undefined,
  subdivision: undefined,
  city: undefined,
  position: undefined,
};

/** Reads the approximate location of a viewer. Missing and invalid values are undefined. */
export function viewerLocation(names: GeolocationHeaders, headers: IncomingHttpHeaders): ViewerLocation {
  const first = (candidates: string[]): string | undefined => {
    const name = candidates.find((each) => typeof headers[each] === 'string' && headers[each] !== '');
    return name === undefined ? undefined : decodedHeader(String(headers[name]));
  };
  const latitude = degrees(first(names.latitude)?.split(',').at(0), 90);
  const longitude = degrees(first(names.longitude)?.split(',').at(-1), 180);
  const isTold = latitude !== undefined && longitude !== undefined && !(latitude === 0 && longitude === 0);
  return {
    country: first(names.country),
    continent: first(names.continent),
    subdivision: first(names.subdivision),
    city: first(names.city),
    // Networks send 0,0 for an unknown position.
    position: isTold ? { latitude, longitude } : undefined,
  };
}

function degrees(text: string | undefined, most: number): number | undefined {
  if (text === undefined || !/^\s*[+-]?\d{1,3}(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Math.abs(value) <= most ? value : undefined;
}

/** Some networks percent-encode city names, others use UTF-8. Text that cannot be decoded is returned unchanged. */
function decodedHeader(value: string): string {
  try {
    return decodeURIComponent(utf8Header(value));
  } catch {
    return value;
  }
}

/** Decodes UTF-8, because Node decodes headers as Latin-1. */
function utf8Header(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
