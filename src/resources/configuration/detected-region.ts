import { countries } from 'countries-list';
import type { ViewerPlace } from '../../context.js';

interface Located {
  name: string;
  continent: string;
  country: string;
  location: string | null;
}

/**
 * The region that is closest to where a viewer seems to be: in the same city, else country, else continent;
 * of several, the first by name (decision 30). Empty when nothing matches.
 *
 * @param place country (ISO 3166-1 alpha-2), continent (two letters) and city, as far as they are known.
 */
export function detectRegion(place: ViewerPlace, regions: Located[]): string {
  const country = place.country?.toUpperCase();
  const continent = place.continent?.toUpperCase() ?? (isCountry(country) ? countries[country].continent : undefined);
  const city = place.city && folded(place.city);
  const inCountry = regions.filter((region) => country !== undefined && region.country.toUpperCase() === country);
  const inContinent = regions.filter(
    (region) => continent !== undefined && region.continent.toUpperCase() === continent,
  );
  const inCity = inCountry.filter(
    ({ location }) => city !== undefined && location !== null && folded(location) === city,
  );
  const [closest] = [inCity, inCountry, inContinent].find(({ length }) => length > 0) ?? [];
  return closest?.name ?? '';
}

function isCountry(code: string | undefined): code is keyof typeof countries {
  return code !== undefined && Object.hasOwn(countries, code);
}

/** A city's name without accents and case: networks send São Paulo as "Sao Paulo". */
function folded(name: string): string {
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
}
