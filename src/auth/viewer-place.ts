import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { GeolocationHeaders } from '../config/geo-headers.js';

/** Where a viewer seems to be, by the headers of the network in front of the service. */
export interface ViewerPlace {
  /** ISO 3166-1 alpha-2, such as DE. */
  country: string | undefined;
  /** Two letters, such as EU. */
  continent: string | undefined;
  /** State or province, by its name or its code. */
  subdivision: string | undefined;
  city: string | undefined;
  /** In degrees, when the network tells both. */
  position: { latitude: number; longitude: number } | undefined;
}

/** Reads where a viewer seems to be. What is not sent, or cannot be, is undefined. */
export function viewerPlace(names: GeolocationHeaders, headers: IncomingHttpHeaders): ViewerPlace {
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
    // Networks say 0,0, in the open sea, of whom they cannot place.
    position: isTold ? { latitude, longitude } : undefined,
  };
}

function degrees(text: string | undefined, most: number): number | undefined {
  if (text === undefined || !/^\s*[+-]?\d{1,3}(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Math.abs(value) <= most ? value : undefined;
}

/** City names come percent-encoded from some networks, in UTF-8 from others. What cannot be decoded is taken as it is. */
function decodedHeader(value: string): string {
  try {
    return decodeURIComponent(utf8Header(value));
  } catch {
    return value;
  }
}

/** Node reads each byte of a header as a character of its own. */
function utf8Header(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}
