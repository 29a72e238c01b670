import { builder } from '../../graphql/builder.js';
import { getConfiguration } from './configuration.js';
import type { Configuration, Place, Region } from './configuration.js';

const PlaceInterface = builder.interfaceRef<Place>('Place').implement({
  description: 'Somewhere in the world.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Its code, such as DE or EU.' }),
    displayName: t.exposeString('displayName', { nullable: false, description: 'Name for people.' }),
  }),
});

const ContinentType = builder
  .objectRef<Place>('Continent')
  .implement({ description: 'A continent with regions.', interfaces: [PlaceInterface] });
const CountryType = builder
  .objectRef<Place>('Country')
  .implement({ description: 'A country with regions.', interfaces: [PlaceInterface] });

const RegionType = builder.objectRef<Region>('Region').implement({
  description: 'Where workloads run.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false }),
    allowed: t.boolean({
      nullable: false,
      description: 'Whether the account of the caller may use it.',
      resolve: ({ allowed }) => allowed === 'true',
    }),
    continent: t.exposeString('continent', { nullable: false, description: 'Code of its continent.' }),
    country: t.exposeString('country', { nullable: false, description: 'Code of its country.' }),
    location: t.exposeString('location', { description: 'Its city.' }),
    infoGeneration: t.exposeString('infoGeneration', { description: 'Generation of its hardware.' }),
    drivesAvailable: t.exposeBoolean('drivesAvailable', {
      nullable: false,
      description: 'Whether agent drives can be used there.',
    }),
    egressAvailable: t.exposeBoolean('egressAvailable', {
      nullable: false,
      description: 'Whether egress gateways can be made there.',
    }),
    mk31Available: t.exposeBoolean('mk31Available', {
      nullable: false,
      description: 'Whether generation mk3.1 runs there.',
    }),
    proxyAvailable: t.exposeBoolean('proxyAvailable', {
      nullable: false,
      description: 'Whether the proxy can be used there.',
    }),
    agentDrivePublicUrl: t.field({
      type: 'JSON',
      description: 'Addresses of agent drives, an open object.',
      resolve: ({ agentDrivePublicUrl }) => agentDrivePublicUrl,
    }),
  }),
});

const PrivateLocationType = builder.objectRef<{ name: string }>('PrivateLocation').implement({
  description: 'A location of the account’s own, managed by an operator component.',
  fields: (t) => ({ name: t.exposeString('name', { nullable: false }) }),
});

const whole = { list: false, items: false } as const;

const ConfigurationType = builder.objectRef<Configuration>('Configuration').implement({
  description: 'What the platform offers, as the account of the caller sees it.',
  fields: (t) => ({
    continents: t.expose('continents', { type: [ContinentType], nullable: whole, description: 'Continents by code.' }),
    countries: t.expose('countries', { type: [CountryType], nullable: whole, description: 'Countries by code.' }),
    regions: t.expose('regions', { type: [RegionType], nullable: whole, description: 'Regions by name.' }),
    privateLocations: t.expose('privateLocations', { type: [PrivateLocationType], nullable: whole }),
    detectedRegion: t.exposeString('detectedRegion', {
      nullable: false,
      description: 'The closest region, guessed from geolocation headers; empty when nothing matches.',
    }),
  }),
});

builder.queryField('configuration', (t) =>
  t.field({
    type: ConfigurationType,
    nullable: false,
    description: 'The platform configuration. Needs the scope admin.',
    resolve: (_root, _args, ctx) => getConfiguration(ctx),
  }),
);
