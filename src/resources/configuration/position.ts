/** A point on the earth, in degrees. */
export interface Position {
  latitude: number;
  longitude: number;
}

const earthRadiusKm = 6371;

/** The great-circle distance (haversine formula). */
export function distanceKm(one: Position, other: Position): number {
  const latitudes = radians(other.latitude - one.latitude);
  const longitudes = radians(other.longitude - one.longitude);
  const squared =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * Math.sin(longitudes / 2) ** 2;
  // For antipodes, rounding can exceed 1, for which the arcsine is undefined.
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(squared)));
}

/** The middle of some positions, each as heavy as its weight. It needs no care at the date line. */
export class Middle {
  #x = 0;
  #y = 0;
  #z = 0;

  add({ latitude, longitude }: Position, weight: number): void {
    this.#x += weight * Math.cos(radians(latitude)) * Math.cos(radians(longitude));
    this.#y += weight * Math.cos(radians(latitude)) * Math.sin(radians(longitude));
    this.#z += weight * Math.sin(radians(latitude));
  }

  get position(): Position {
    return {
      latitude: degrees(Math.atan2(this.#z, Math.hypot(this.#x, this.#y))),
      longitude: degrees(Math.atan2(this.#y, this.#x)),
    };
  }
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
