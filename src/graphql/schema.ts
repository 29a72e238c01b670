// Loads the doors, and builds what they added to the builder.
import { builder } from './builder.js';
import './scalars.js';
import '../resources/accounts/graphql.js';
import '../resources/agents/graphql.js';
import '../resources/configuration/graphql.js';
import '../resources/images/graphql.js';
import '../resources/images/graphql-shares.js';
import '../resources/jobs/graphql.js';
import '../resources/jobs/graphql-executions.js';
import '../resources/metrics/graphql.js';
import '../resources/metrics/graphql-usage.js';
import '../resources/networks/graphql.js';
import '../resources/networks/graphql-egress.js';
import '../resources/sandboxes/graphql.js';
import '../resources/sandboxes/graphql-previews.js';
import '../resources/volumes/graphql.js';

export const schema = builder.toSchema();
