// Loads the doors, and builds what they added to the builder.
import { builder } from './builder.js';
import './scalars.js';
import '../resources/accounts/graphql.js';
import '../resources/agents/graphql.js';

export const schema = builder.toSchema();
