import { GraphQLError, Kind, valueFromASTUntyped } from 'graphql';
import { z } from 'zod';
import { builder } from './builder.js';
import type { Json } from './builder.js';

builder.scalarType('DateTime', {
  description: 'A point in time: RFC 3339 in UTC with milliseconds, such as 2026-04-28T09:30:00.000Z.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => value,
  parseValue: (value) => {
    const parsed = z.iso.datetime({ offset: true }).safeParse(value);
    if (!parsed.success) throw new GraphQLError('A DateTime is a string of RFC 3339.');
    return parsed.data;
  },
});

const json: z.ZodType<Json> = z.json();

builder.scalarType('JSON', {
  description: 'Any JSON value, kept as it came.',
  serialize: (value) => value,
  parseValue: (value) => json.parse(value),
  parseLiteral: (node, variables) => {
    if (node.kind === Kind.VARIABLE) return json.parse(variables?.[node.name.value]);
    return json.parse(valueFromASTUntyped(node, variables));
  },
});
