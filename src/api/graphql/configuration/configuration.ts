import { builder } from '../builder.js';
import { objectType } from '../shape-type.js';
import { configuration, getConfiguration } from '../../../resources/configuration/configuration.js';

const ConfigurationType = objectType(configuration);

builder.queryField('configuration', (t) =>
  t.field({
    type: ConfigurationType,
    nullable: true,
    description: 'The platform configuration. Needs the scope configurations:list.',
    resolve: (_root, _args, ctx) => getConfiguration(ctx),
  }),
);
