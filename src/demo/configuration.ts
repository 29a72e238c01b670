import type { ConfigurationInput } from '../resources/configuration/configuration-input.js';
import { accountsOf, regions } from './company.js';

type Flags = 'drives' | 'egress' | 'mk31' | 'proxy';

interface Place {
  continent: string;
  country: string;
  location: string;
  flags: Flags[];
  generation: string;
}

const all: Flags[] = ['drives', 'egress', 'mk31', 'proxy'];

const locations: Record<(typeof regions)[number], Place> = {
  'eu-frankfurt-1': { continent: 'EU', country: 'DE', location: 'Frankfurt', flags: all, generation: 'mk3.1' },
  'eu-london-1': { continent: 'EU', country: 'GB', location: 'London', flags: all, generation: 'mk3.1' },
  'eu-stockholm-1': { continent: 'EU', country: 'SE', location: 'Stockholm', flags: ['drives', 'egress'], generation: 'mk3' },
  'us-ashburn-1': { continent: 'NA', country: 'US', location: 'Ashburn', flags: all, generation: 'mk3.1' },
  'us-portland-1': { continent: 'NA', country: 'US', location: 'Portland', flags: ['drives', 'egress', 'proxy'], generation: 'mk3' },
  'us-dallas-1': { continent: 'NA', country: 'US', location: 'Dallas', flags: ['egress'], generation: 'mk2' },
  'ca-toronto-1': { continent: 'NA', country: 'CA', location: 'Toronto', flags: ['drives', 'proxy'], generation: 'mk3' },
  'sa-saopaulo-1': { continent: 'SA', country: 'BR', location: 'São Paulo', flags: ['proxy'], generation: 'mk2' },
  'ap-singapore-1': { continent: 'AS', country: 'SG', location: 'Singapore', flags: ['drives', 'egress', 'mk31'], generation: 'mk3.1' },
  'ap-tokyo-1': { continent: 'AS', country: 'JP', location: 'Tokyo', flags: ['drives', 'egress'], generation: 'mk3' },
  'ap-mumbai-1': { continent: 'AS', country: 'IN', location: 'Mumbai', flags: [], generation: 'mk2' },
  'ap-sydney-1': { continent: 'OC', country: 'AU', location: 'Sydney', flags: ['drives'], generation: 'mk3' },
  'me-dubai-1': { continent: 'AS', country: 'AE', location: 'Dubai', flags: ['egress', 'proxy'], generation: 'mk2' },
  'af-capetown-1': { continent: 'AF', country: 'ZA', location: 'Cape Town', flags: ['mk31'], generation: 'mk3.1' },
}; // prettier-ignore

const continents = { AF: 'Africa', AS: 'Asia', EU: 'Europe', NA: 'North America', OC: 'Oceania', SA: 'South America' };

const countries = {
  AE: 'United Arab Emirates', AU: 'Australia', BR: 'Brazil', CA: 'Canada', DE: 'Germany', GB: 'United Kingdom',
  IN: 'India', JP: 'Japan', SE: 'Sweden', SG: 'Singapore', US: 'United States', ZA: 'South Africa',
}; // prettier-ignore

const named = (table: Record<string, string>) =>
  Object.entries(table).map(([name, displayName]) => ({ name, displayName }));

/** The platform of the demo: the regions that its agents run in. */
export const demoConfiguration: ConfigurationInput = {
  continents: named(continents),
  countries: named(countries),
  regions: regions.map(regionOf),
  privateLocations: [
    { name: 'hamburg-warehouse', account: 'meridian-freight' },
    { name: 'rotterdam-quay', account: 'meridian-freight' },
    { name: 'research-vessel', account: 'tidewater-labs' },
  ],
};

function regionOf(name: (typeof regions)[number]): ConfigurationInput['regions'][number] {
  const { flags, generation, ...location } = locations[name];
  const accounts = accountsOf(name);
  return {
    name,
    ...location,
    infoGeneration: generation,
    drivesAvailable: flags.includes('drives'),
    egressAvailable: flags.includes('egress'),
    mk31Available: flags.includes('mk31'),
    proxyAvailable: flags.includes('proxy'),
    ...(flags.includes('drives')
      ? {
          agentDrivePublicUrl: {
            read: `https://drive.${name}.example.com`,
            write: `https://drive-in.${name}.example.com`,
          },
        }
      : {}),
    ...(accounts === undefined ? {} : { accounts: [...accounts] }),
  };
}
