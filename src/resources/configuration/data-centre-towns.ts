import type { Position } from './position.js';

interface Town extends Position {
  /** ISO 3166-1 alpha-2. */
  country: string;
  name: string;
}

/** Towns with many data centers that are too small for a list of the world's cities. */
export const dataCentreTowns: readonly Town[] = [
  { country: 'US', name: 'Ashburn', latitude: 39.04, longitude: -77.49 },
  { country: 'US', name: 'Boardman', latitude: 45.84, longitude: -119.7 },
  { country: 'US', name: 'Boydton', latitude: 36.67, longitude: -78.39 },
  { country: 'US', name: 'Council Bluffs', latitude: 41.26, longitude: -95.86 },
  { country: 'US', name: 'Hillsboro', latitude: 45.52, longitude: -122.99 },
  { country: 'US', name: 'Moncks Corner', latitude: 33.2, longitude: -80.01 },
  { country: 'US', name: 'Quincy', latitude: 47.23, longitude: -119.85 },
  { country: 'US', name: 'Reston', latitude: 38.96, longitude: -77.36 },
  { country: 'US', name: 'The Dalles', latitude: 45.59, longitude: -121.18 },
  { country: 'BE', name: 'St. Ghislain', latitude: 50.45, longitude: 3.82 },
  { country: 'DE', name: 'Falkenstein', latitude: 50.48, longitude: 12.37 },
  { country: 'FI', name: 'Hamina', latitude: 60.57, longitude: 27.2 },
  { country: 'FR', name: 'Gravelines', latitude: 50.99, longitude: 2.13 },
  { country: 'FR', name: 'Roubaix', latitude: 50.69, longitude: 3.17 },
  { country: 'NL', name: 'Eemshaven', latitude: 53.44, longitude: 6.83 },
  { country: 'SG', name: 'Jurong West', latitude: 1.35, longitude: 103.71 },
  { country: 'TW', name: 'Changhua', latitude: 24.07, longitude: 120.54 },
];
