import type { ViewerLocation } from '../../auth/viewer-location.js';
import { isSameName } from './gazetteer.js';
import type { Found, Gazetteer } from './gazetteer.js';
import { distanceKm } from './position.js';
import type { Position } from './position.js';

export interface LocatedRegion {
  name: string;
  continent: string;
  country: string;
  /** City of the data centre, or its state. */
  location: string | null;
  /** The configured position. */
  position: Position | undefined;
}

/**
 * The region that is closest to the location of a viewer; of several as close, the first (decision 30). Empty if the
 * location of the viewer or the positions of the regions are unknown.
 *
 * @param regions the regions that the viewer's account can use.
 */
export function detectRegion(viewer: ViewerLocation, regions: LocatedRegion[], gazetteer: Gazetteer): string {
  const from = exactly(viewer.position) ?? gazetteer.locate(viewer);
  let closest = { name: '', distance: Infinity };
  for (const region of regions) {
    const to = exactly(region.position) ?? placeOf(region, gazetteer);
    const isExact = from?.isCity === true && to?.isCity === true;
    // A town that no list knows is known by its name.
    const isSame = !isExact && isInCityOf(viewer, region);
    const between = from && to ? distanceKm(from.position, to.position) : Infinity;
    const distance = isSame ? 0 : between;
    if (distance < closest.distance) closest = { name: region.name, distance };
  }
  return closest.name;
}

function exactly(position: Position | undefined): Found | undefined {
  return position && { position, isCity: true };
}

function placeOf({ continent, country, location }: LocatedRegion, gazetteer: Gazetteer): Found | undefined {
  return gazetteer.locate({ continent, country, city: location ?? undefined });
}

function isInCityOf({ country, city }: ViewerLocation, region: LocatedRegion): boolean {
  if (country === undefined || city === undefined || region.location === null) return false;
  return isSameName(country, region.country) && isSameName(city, region.location);
}
