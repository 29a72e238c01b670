// The positions of places by name: 7,300 cities of a package, and the provinces, countries and continents derived
// from them.
import type { CityData } from 'city-timezones';
import { countries } from 'countries-list';
import { dataCentreTowns } from './data-centre-towns.js';
import { Middle } from './position.js';
import type { Position } from './position.js';

/**
 * A place by names: codes of ISO 3166-1 and of a continent, in any case, and names as people or networks write them.
 */
export interface NamedPlace {
  continent?: string | undefined;
  country?: string | undefined;
  /** State or province. */
  subdivision?: string | undefined;
  /** A city, or a state that is named in place of one. */
  city?: string | undefined;
}

export interface Gazetteer {
  /**
   * The position of a place, as exactly as its names are known: its city, else the population center of its state, its
   * country, or its continent. Undefined if none of them is known.
   */
  locate: (names: NamedPlace) => Found | undefined;
}

export interface Found {
  position: Position;
  /** Whether it is a city, and not the middle of something larger. */
  isCity: boolean;
}

let opened: Promise<Gazetteer> | undefined;

/** Returns the gazetteer of the process. It is loaded on first use, because it takes time and several megabytes. */
export function openGazetteer(): Promise<Gazetteer> {
  opened ??= import('city-timezones').then(({ cityMapping }) => gazetteerOf(cityMapping));
  return opened;
}

function gazetteerOf(cities: CityData[]): Gazetteer {
  const largest = new Map<string, { position: Position; population: number }>();
  const middles = new Map<string, Middle>();
  const addCity = (key: string, position: Position, population: number): void => {
    if ((largest.get(key)?.population ?? -1) < population) largest.set(key, { position, population });
  };
  const addTo = (key: string, position: Position, population: number): void => {
    const middle = middles.get(key) ?? new Middle();
    middle.add(position, population);
    middles.set(key, middle);
  };
  for (const { iso2, city, city_ascii: ascii, province, state_ansi: state, pop, lat, lng } of cities) {
    if (!isCountry(iso2)) continue;
    const position = { latitude: lat, longitude: lng };
    const population = Math.max(pop, 1);
    const subdivisions = [province, state].filter((name) => name !== undefined && name !== '');
    for (const name of new Set([city, ascii])) {
      addCity(keyOf(iso2, name), position, population);
      for (const subdivision of subdivisions) addCity(keyOf(iso2, subdivision, name), position, population);
    }
    for (const subdivision of subdivisions) addTo(keyOf(iso2, subdivision), position, population);
    addTo(keyOf(iso2), position, population);
    addTo(continentKey(countries[iso2].continent), position, population);
  }
  for (const { country, name, ...position } of dataCentreTowns) addCity(keyOf(country, name), position, 0);

  return {
    locate: ({ continent = '', country = '', subdivision = '', city = '' }) => {
      const code = country.toUpperCase();
      const state = middles.get(keyOf(code, subdivision));
      const town = largest.get(state === undefined ? keyOf(code, city) : keyOf(code, subdivision, city));
      const around = state ?? middles.get(keyOf(code, city)) ?? middles.get(keyOf(code));
      const far = middles.get(continentKey(isCountry(code) ? countries[code].continent : continent));
      const middle = around ?? far;
      if (town !== undefined) return { position: town.position, isCity: true };
      return middle && { position: middle.position, isCity: false };
    },
  };
}

/** Whether two names are of one place: networks send São Paulo as "Sao Paulo". */
export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function isCountry(code: string): code is keyof typeof countries {
  return Object.hasOwn(countries, code);
}

function keyOf(country: string, ...names: string[]): string {
  return [country, ...names.map(folded)].join('\n');
}

/** No country has a code of three characters. */
function continentKey(code: string): string {
  return `in ${code.toUpperCase()}`;
}

/** A name without accents and case. */
function folded(name: string): string {
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
}
