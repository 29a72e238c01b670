// Prints the cost and the required scopes of each field as directives. Those of costs are of the GraphQL Cost Directives
// Specification (IBM): a client can compute the cost of an operation from the schema. The server computes it from the same
// declarations (price.ts).
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import { defaultListMultiplier } from './builder.js';
import { requiredScopesOf, scopesText } from './required-scopes.js';

const cost = new GraphQLDirective({
  name: 'cost',
  description: 'The cost of a field itself (default: 1). The cost of its selected subfields is added.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { weight: { type: new GraphQLNonNull(GraphQLString), description: 'Cost as an integer.' } },
});

const listSize = new GraphQLDirective({
  name: 'listSize',
  description:
    'The factor for the cost of the selected subfields: the value of one of the slicing arguments, otherwise the ' +
    `assumed size. Lists without this directive count ${defaultListMultiplier} times.`,
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    assumedSize: { type: GraphQLInt, description: 'Size of the list if no slicing argument is given.' },
    slicingArguments: {
      type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
      description: 'Arguments that set the number of requested items.',
    },
    requireOneSlicingArgument: {
      type: GraphQLBoolean,
      defaultValue: false,
      description: 'True if one of the slicing arguments is required.',
    },
  },
});

export const costDirectives = [cost, listSize];

/** The schema as SDL in alphabetical order, with the cost and the required scopes of each field. */
export function printPricedSchema(schema: GraphQLSchema): string {
  const text = printSchema(withoutScopesInDescriptions(lexicographicSortSchema(schema)));
  let priced = '';
  let end = 0;
  for (const definition of parse(text).definitions) {
    const type = 'fields' in definition ? schema.getType(definition.name.value) : undefined;
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { name, loc } of 'fields' in definition ? (definition.fields ?? []) : []) {
      const field = type.getFields()[name.value];
      if (field === undefined || loc === undefined) continue;
      priced += `${text.slice(end, loc.end)}${directivesOf(field)}`;
      end = loc.end;
    }
  }
  return `${priced}${text.slice(end)}\n`;
}

/** A printed schema has the scopes as directives. @param schema a copy, which is changed. */
function withoutScopesInDescriptions(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const scopes = requiredScopesOf(field);
      if (scopes !== undefined) field.description = field.description?.replace(`\n\n${scopesText(scopes)}`, '');
    }
  }
  return schema;
}

interface Weight {
  own: number;
  multiplier: number | undefined;
}

function directivesOf(field: GraphQLField<unknown, unknown>): string {
  const { own, multiplier } = weightOf(field);
  const sizes = [
    ...(multiplier === undefined ? [] : [`assumedSize: ${multiplier}`]),
    ...(isSliced(field) ? ['slicingArguments: ["first", "last"]'] : []),
  ];
  const scopes = requiredScopesOf(field);
  return [
    own === 1 ? '' : ` @cost(weight: "${own}")`,
    sizes.length === 0 ? '' : ` @listSize(${sizes.join(', ')})`,
    scopes === undefined ? '' : ` @requiresScopes(scopes: ${JSON.stringify(scopes).replaceAll(',', ', ')})`,
  ].join('');
}

/** A cost that depends on the caller's access, or on the length of an argument, is not printed. */
function weightOf(field: GraphQLField<unknown, unknown>): Weight {
  const declared: unknown = field.extensions['complexity'];
  if (typeof declared === 'function' && !isSliced(field)) return { own: 1, multiplier: undefined };
  const found: unknown = typeof declared === 'function' ? declared({}) : declared;
  if (typeof found === 'number') return { own: found, multiplier: undefined };
  const { field: own = 1, multiplier }: { field?: unknown; multiplier?: unknown } =
    typeof found === 'object' && found !== null ? found : {};
  const usual = isList(field) ? defaultListMultiplier : 1;
  const isTold = typeof multiplier === 'number' && multiplier !== usual;
  return { own: Number(own), multiplier: isTold ? multiplier : undefined };
}

function isSliced({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ name }) => name === 'first');
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
