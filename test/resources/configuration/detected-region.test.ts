import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectRegion } from '../../../src/resources/configuration/detected-region.js';

const regions = [
  { name: 'ap-tokyo-1', continent: 'AS', country: 'JP', location: 'Tokyo' },
  { name: 'eu-frankfurt-1', continent: 'EU', country: 'DE', location: 'Frankfurt' },
  { name: 'eu-munich-1', continent: 'EU', country: 'DE', location: 'München' },
  { name: 'eu-stockholm-1', continent: 'EU', country: 'SE', location: null },
  { name: 'sa-saopaulo-1', continent: 'SA', country: 'BR', location: 'São Paulo' },
];

const at = (country?: string, city?: string, continent?: string) => detectRegion({ country, continent, city }, regions);

describe('The detected region', () => {
  it.each([
    ['the same city', at('DE', 'munchen'), 'eu-munich-1'],
    ['the same city, written without accents', at('BR', 'Sao Paulo'), 'sa-saopaulo-1'],
    ['the same country, the first by name', at('de'), 'eu-frankfurt-1'],
    ['the same country when no region is in the city', at('SE', 'Malmö'), 'eu-stockholm-1'],
    ['the same continent, known from the country', at('AT', 'Wien'), 'eu-frankfurt-1'],
    ['the same continent, known from its header', at(undefined, undefined, 'as'), 'ap-tokyo-1'],
    ['the header’s continent where it and the country disagree', at('XX', undefined, 'SA'), 'sa-saopaulo-1'],
    ['none on a continent without regions', at('KE'), ''],
    ['none of a city of that name in another country', at('US', 'Frankfurt'), ''],
    ['none without headers', at(), ''],
    ['none for a code that is no country', at('T1'), ''],
  ])('is one of %s', (_rule, found, expected) => {
    expect(found).toBe(expected);
  });

  it('is always a region that there is, or empty', () => {
    const text = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(text, text, text, (country, city, continent) => {
        const found = at(country, city, continent);
        expect(found === '' || regions.some(({ name }) => name === found)).toBe(true);
      }),
    );
  });
});
