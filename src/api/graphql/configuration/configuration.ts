import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { objectType } from '../shape-type.js';
import { configuration, getConfiguration } from '../../../resources/configuration/configuration.js';

const ConfigurationType = objectType(configuration);

builder.queryField('configuration', (t) =>
  t.field({
    type: ConfigurationType,
    nullable: true,
    extensions: requiresScopes([['configurations:list']]),
    description: 'The platform configuration.',
    resolve: (_root, _args, ctx) => getConfiguration(ctx),
  }),
);
