import { builder } from '../builder.js';
import { interfaceType, objectType } from '../shape-type.js';
import {
  configuration,
  continent,
  country,
  getConfiguration,
  place,
} from '../../../resources/configuration/configuration.js';

const PlaceInterface = interfaceType(place);

objectType(continent, [PlaceInterface]);

objectType(country, [PlaceInterface]);

const ConfigurationType = objectType(configuration);

builder.queryField('configuration', (t) =>
  t.field({
    type: ConfigurationType,
    nullable: true,
    description: 'The platform configuration. Needs the scope configurations:list.',
    resolve: (_root, _args, ctx) => getConfiguration(ctx),
  }),
);
