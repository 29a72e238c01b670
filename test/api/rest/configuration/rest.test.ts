import { beforeAll, describe, expect, it } from 'vitest';
import { replaceConfiguration } from '../../../../src/resources/configuration/configuration-input.js';
import type { ConfigurationInput } from '../../../../src/resources/configuration/configuration-input.js';
import { createKey, createTenant, graphql, rest, useApp } from '../../../harness.js';

const running = useApp({
  GEO_HEADERS:
    'country=x-edge-country,country=cf-ipcountry,continent=cf-ipcontinent,city=cf-ipcity,' +
    'latitude=cf-iplatitude,latitude=x-both,longitude=cf-iplongitude,longitude=x-both',
});
const keys: Record<string, string> = {};

const input: ConfigurationInput = {
  continents: [
    { name: 'SA', displayName: 'South America' },
    { name: 'EU', displayName: 'Europe' },
  ],
  countries: [
    { name: 'DE', displayName: 'Germany' },
    { name: 'BR', displayName: 'Brazil' },
  ],
  regions: [
    {
      name: 'sa-saopaulo-1',
      continent: 'SA',
      country: 'BR',
      location: 'São Paulo',
      infoGeneration: 'g4',
      drivesAvailable: true,
      egressAvailable: true,
      mk31Available: true,
      proxyAvailable: true,
      agentDrivePublicUrl: { eu: { read: 'https://drive.example.com' }, none: null },
    },
    { name: 'eu-frankfurt-1', continent: 'EU', country: 'DE', accounts: ['northwind'] },
  ],
  privateLocations: [
    { name: 'cellar', account: 'northwind' },
    { name: 'attic', account: 'southwind' },
  ],
};

beforeAll(async () => {
  const { app } = running;
  for (const account of ['northwind', 'southwind']) {
    const tenant = await createTenant(app, { account, workspaces: [account] });
    ({ key: keys[account] = '' } = await createKey(app, tenant));
  }
  await app.services.db.$transaction((tx) => replaceConfiguration(tx, input));
});

async function configurationOf(account: string, headers: Record<string, string> = {}) {
  const { status, body } = await rest(running.app, '/configuration', { key: keys[account] ?? '', headers });
  expect(status).toBe(200);
  return body;
}

describe('GET /v0/configuration', () => {
  it('returns every section, and omits values that are not set', async () => {
    const body = await configurationOf('northwind');
    expect(body.continents).toEqual([
      { name: 'EU', displayName: 'Europe' },
      { name: 'SA', displayName: 'South America' },
    ]);
    expect(body.countries.map(({ name }: { name: string }) => name)).toEqual(['BR', 'DE']);
    expect(body.regions).toEqual([
      {
        name: 'eu-frankfurt-1',
        allowed: 'true',
        continent: 'EU',
        country: 'DE',
        drivesAvailable: false,
        egressAvailable: false,
        mk31Available: false,
        proxyAvailable: false,
      },
      {
        name: 'sa-saopaulo-1',
        allowed: 'true',
        continent: 'SA',
        country: 'BR',
        location: 'São Paulo',
        infoGeneration: 'g4',
        drivesAvailable: true,
        egressAvailable: true,
        mk31Available: true,
        proxyAvailable: true,
        agentDrivePublicUrl: { eu: { read: 'https://drive.example.com' }, none: null },
      },
    ]);
    expect(body.detectedRegion).toBe('');
  });

  it('allows a restricted region only to its accounts, and returns each its own locations', async () => {
    const other = await configurationOf('southwind');
    expect(other.regions.map(({ allowed }: { allowed: string }) => allowed)).toEqual(['false', 'true']);
    expect(other.privateLocations).toEqual([{ name: 'attic' }]);
    expect((await configurationOf('northwind')).privateLocations).toEqual([{ name: 'cellar' }]);
  });

  it.each([
    [{ 'cf-ipcountry': 'BR' }, 'sa-saopaulo-1'],
    [{ 'x-edge-country': 'DE', 'cf-ipcountry': 'BR' }, 'eu-frankfurt-1'],
    [{ 'cf-ipcountry': 'AR' }, 'sa-saopaulo-1'],
    [{ 'cf-ipcountry': 'AR', 'cf-ipcontinent': 'EU' }, 'sa-saopaulo-1'],
    [{ 'cf-ipcontinent': 'EU' }, 'eu-frankfurt-1'],
    [{ 'cf-iplatitude': '-33.4', 'cf-iplongitude': '-70.7' }, 'sa-saopaulo-1'],
    [{ 'cf-ipcountry': 'BR', 'x-both': '48.2,16.4' }, 'eu-frankfurt-1'],
    [{ 'cf-ipcountry': 'BR', 'cf-iplatitude': '91', 'cf-iplongitude': '16.4' }, 'sa-saopaulo-1'],
    [{ 'cf-ipcountry': 'BR', 'cf-iplatitude': '48.2' }, 'sa-saopaulo-1'],
    [{ 'cf-iplatitude': 'NaN', 'cf-iplongitude': '0x10' }, ''],
    [{ 'cf-ipcountry': 'BR', 'cf-ipcity': 'S%C3%A3o%20Paulo' }, 'sa-saopaulo-1'],
    [{ 'x-vercel-ip-country': 'BR' }, ''],
    [{ 'cf-ipcountry': '%' }, ''],
  ])('guesses the region of a viewer with %o as %j', async (headers, expected) => {
    expect((await configurationOf('northwind', headers)).detectedRegion).toBe(expected);
  });

  it('is the same through GraphQL, where allowed is a boolean', async () => {
    const query =
      '{ configuration { detectedRegion privateLocations { name } regions { name allowed agentDrivePublicUrl } } }';
    const { body } = await graphql(running.app, keys['southwind'], query, {}, { 'cf-ipcountry': 'DE' });
    expect(body.data.configuration).toEqual({
      detectedRegion: 'sa-saopaulo-1',
      privateLocations: [{ name: 'attic' }],
      regions: [
        { name: 'eu-frankfurt-1', allowed: false, agentDrivePublicUrl: null },
        {
          name: 'sa-saopaulo-1',
          allowed: true,
          agentDrivePublicUrl: { eu: { read: 'https://drive.example.com' }, none: null },
        },
      ],
    });
  });
});

describe('The detected region', () => {
  it('is always an allowed one, even if another is closer', async () => {
    const headers = { 'cf-ipcountry': 'DE', 'cf-ipcity': 'Frankfurt' };
    expect((await configurationOf('northwind', headers)).detectedRegion).toBe('eu-frankfurt-1');
    expect((await configurationOf('southwind', headers)).detectedRegion).toBe('sa-saopaulo-1');
  });

  it('uses the configured position of a region, which no response contains', async () => {
    const { db } = running.app.services;
    const regions = input.regions.map((region) =>
      region.name === 'sa-saopaulo-1' ? { ...region, position: { latitude: 52.5, longitude: 13.4 } } : region,
    );
    const before = await configurationOf('northwind', { 'cf-ipcountry': 'PL' });
    await db.$transaction((tx) => replaceConfiguration(tx, { ...input, regions }));
    const after = await configurationOf('northwind', { 'cf-ipcountry': 'PL' });
    await db.$transaction((tx) => replaceConfiguration(tx, input));
    expect(before.detectedRegion).toBe('eu-frankfurt-1');
    expect(after).toEqual({ ...before, detectedRegion: 'sa-saopaulo-1' });
  });
});

describe('Replacing the configuration', () => {
  const replace = (changed: Partial<ConfigurationInput>) =>
    running.app.services.db.$transaction((tx) => replaceConfiguration(tx, { ...input, ...changed }));

  it.each([
    ['a latitude past the pole', { latitude: 90.1, longitude: 0 }],
    ['a longitude past the date line', { latitude: 0, longitude: -180.1 }],
  ])('rejects %s', async (_rule, position) => {
    const regions = input.regions.map((region) => ({ ...region, position }));
    await expect(replace({ regions })).rejects.toThrow(/regions.*position/s);
  });

  it.each([
    ['country', { countries: [] }],
    ['continent', { continents: [] }],
    ['account', { privateLocations: [{ name: 'cellar', account: 'nobody' }] }],
  ])('rejects a %s that does not exist, and changes nothing', async (kind, changed) => {
    await expect(replace(changed)).rejects.toThrow(`must be the name of an existing ${kind} (got`);
    expect((await configurationOf('northwind')).regions).toHaveLength(2);
  });
});
