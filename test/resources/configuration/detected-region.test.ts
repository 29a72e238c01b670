import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ViewerLocation } from '../../../src/auth/viewer-location.js';
import { detectRegion } from '../../../src/resources/configuration/detected-region.js';
import type { LocatedRegion } from '../../../src/resources/configuration/detected-region.js';
import { openGazetteer } from '../../../src/resources/configuration/gazetteer.js';
import { distanceKm } from '../../../src/resources/configuration/position.js';

const gazetteer = await openGazetteer();

const unknown: ViewerLocation = {
  country: undefined,
  continent: undefined,
  subdivision: undefined,
  city: undefined,
  position: undefined,
};

function region(name: string, country: string, location: string | null, continent = 'EU') {
  return { name, continent, country, location, position: undefined };
}

const regions = [
  region('af-capetown-1', 'ZA', 'Cape Town', 'AF'),
  region('ap-mumbai-1', 'IN', 'Mumbai', 'AS'),
  region('ap-sydney-1', 'AU', 'Sydney', 'OC'),
  region('ap-tokyo-1', 'JP', 'Tokyo', 'AS'),
  region('eu-frankfurt-1', 'DE', 'Frankfurt'),
  region('eu-munich-1', 'DE', 'München'),
  region('eu-stockholm-1', 'SE', null),
  region('me-dubai-1', 'AE', 'Dubai', 'AS'),
  region('sa-saopaulo-1', 'BR', 'São Paulo', 'SA'),
  region('us-ashburn-1', 'US', 'Ashburn', 'NA'),
  region('us-portland-1', 'US', 'Portland', 'NA'),
];

const of = (viewer: Partial<ViewerLocation>, among: LocatedRegion[] = regions) =>
  detectRegion({ ...unknown, ...viewer }, among, gazetteer);

describe('The detected region is the closest', () => {
  it.each([
    ['of a city', { country: 'KR', city: 'Seoul' }, 'ap-tokyo-1'],
    ['of a city on the other side of its country', { country: 'US', city: 'Seattle' }, 'us-portland-1'],
    ['of a city on the edge of its continent', { country: 'IL', city: 'Haifa' }, 'me-dubai-1'],
    ['of a city written without accents', { country: 'BR', city: 'Sao Paulo' }, 'sa-saopaulo-1'],
    ['of a town that only a region names', { country: 'DE', city: 'munchen' }, 'eu-munich-1'],
    ['of the larger of two cities of one name', { country: 'US', city: 'Portland' }, 'us-portland-1'],
    ['of the one in the state', { country: 'US', subdivision: 'Maine', city: 'Portland' }, 'us-ashburn-1'],
    ['of the one in the state, by its code', { country: 'US', subdivision: 'ME', city: 'Portland' }, 'us-ashburn-1'],
    ['of a state, of an unknown town', { country: 'US', subdivision: 'OR', city: 'Nowhere' }, 'us-portland-1'],
    ['of a city, with an unknown state', { country: 'US', subdivision: '?', city: 'Seattle' }, 'us-portland-1'],
    ['of the people of a country', { country: 'kr' }, 'ap-tokyo-1'],
    ['of a country, of an unknown town', { country: 'AT', city: 'Wien' }, 'eu-munich-1'],
    ['of a country on a continent without regions', { country: 'NZ' }, 'ap-sydney-1'],
    ['of a country in another continent than its header says', { country: 'AR', continent: 'EU' }, 'sa-saopaulo-1'],
    ['of the continent of an island that has no city', { country: 'IM' }, 'eu-frankfurt-1'],
    ['of a continent', { continent: 'oc' }, 'ap-sydney-1'],
    ['of a continent, when the country is no code', { country: 'XX', continent: 'SA' }, 'sa-saopaulo-1'],
    ['of a position', { position: { latitude: 47.6, longitude: -122.3 } }, 'us-portland-1'],
    ['of a position, whatever the city is', { country: 'US', city: 'Miami', position: { latitude: 35, longitude: 139 } }, 'ap-tokyo-1'],
    ['over the date line', { position: { latitude: -17, longitude: -179 } }, 'ap-sydney-1'],
  ])('%s', (_rule, viewer, expected) => {
    expect(of(viewer)).toBe(expected);
  }); // prettier-ignore

  it('of the given ones: Haifa gets the next if Dubai is not among them', () => {
    const others = regions.filter(({ name }) => name !== 'me-dubai-1');
    expect(of({ country: 'IL', city: 'Haifa' }, others)).toBe('eu-munich-1');
  });

  it.each([
    ['without headers', {}],
    ['of a country that is no code', { country: 'T1' }],
    ['of a city without a country', { city: 'Frankfurt' }],
    ['of a code that every object has', { country: 'constructor', continent: '__proto__' }],
  ])('or none %s', (_rule, viewer) => {
    expect(of(viewer)).toBe('');
  });

  it('or none, if the positions of the regions are unknown', () => {
    expect(of({ country: 'DE' }, [region('moon-1', 'MOON', 'Tranquility', 'SPACE')])).toBe('');
    expect(of({ country: 'DE' }, [])).toBe('');
  });

  it('by the region’s own position, whatever its location', () => {
    const moved = { ...region('us-a-1', 'US', 'Miami', 'NA'), position: { latitude: 47, longitude: -122 } };
    expect(of({ country: 'US', city: 'Seattle' }, [...regions, moved])).toBe('us-a-1');
  });

  it.each([
    ['a region that is somewhere', undefined, { country: 'SE', city: 'boden' }],
    [
      'a viewer that is somewhere',
      undefined,
      { country: 'SE', city: 'Boden', position: { latitude: 59, longitude: 18 } },
    ],
    ['a position from the configuration only', { latitude: 65.8, longitude: 21.7 }, { country: 'SE', city: 'Boden' }],
  ])('by the name of an unknown town, next to %s', (_rule, position, viewer) => {
    const boden = { ...region('eu-boden-1', 'SE', 'Boden'), position };
    expect(of(viewer, [region('eu-stockholm-1', 'SE', 'Stockholm'), boden])).toBe('eu-boden-1');
  });

  it('by the state, if a region is named after one', () => {
    expect(of({ country: 'US', city: 'Seattle' }, [region('us-1', 'US', 'Virginia Beach'), region('us-2', 'US', 'Oregon')])).toBe('us-2'); // prettier-ignore
  });

  it('and the first of two in the same place', () => {
    expect(of({ country: 'DE' }, [region('b-1', 'DE', 'Munich'), region('a-1', 'DE', 'Munich')])).toBe('b-1');
  });

  it('and no other given region is closer', () => {
    const latitude = fc.double({ min: -90, max: 90, noNaN: true });
    const longitude = fc.double({ min: -180, max: 180, noNaN: true });
    const position = fc.record({ latitude, longitude });
    fc.assert(
      fc.property(position, fc.array(position, { minLength: 1 }), (viewer, positions) => {
        const placed = positions.map((each, order) => ({ ...region(`r-${order}`, 'DE', null), position: each }));
        const found = placed.find(({ name }) => name === of({ position: viewer }, placed));
        const distances = positions.map((each) => distanceKm(viewer, each));
        expect(found && distanceKm(viewer, found.position)).toBe(Math.min(...distances));
      }),
    );
  });

  it('or empty, for any headers', () => {
    const text = fc.option(fc.string(), { nil: undefined });
    const viewer = fc.record({ country: text, continent: text, subdivision: text, city: text });
    fc.assert(
      fc.property(viewer, (texts) => {
        expect(['', ...regions.map(({ name }) => name)]).toContain(of(texts));
      }),
    );
  });
});

describe('Distances', () => {
  it.each([
    ['Paris to New York', { latitude: 48.857, longitude: 2.352 }, { latitude: 40.713, longitude: -74.006 }, 5837],
    ['over the date line', { latitude: 0, longitude: 179.5 }, { latitude: 0, longitude: -179.5 }, 111],
    ['pole to pole', { latitude: 90, longitude: 10 }, { latitude: -90, longitude: -70 }, 20015],
    ['to the other side', { latitude: 10, longitude: 20 }, { latitude: -10, longitude: -160 }, 20015],
    ['nowhere', { latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2 }, 0],
  ])('are right for %s', (_way, one, other, expected) => {
    expect(Math.round(distanceKm(one, other))).toBe(expected);
    expect(distanceKm(other, one)).toBeCloseTo(distanceKm(one, other), 6);
  });
});
