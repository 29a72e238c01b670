import { GraphQLError, Kind, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';
import { inputLimits } from '../../input/limits.js';
import { timeText } from '../../schema/time.js';
import { builder } from './builder.js';
import type { Json } from './builder.js';

/** Serializes a scalar whose values are already JSON. */
export function asItIs<Value>(value: Value): Value {
  return value;
}

/** @param node the literal of the value, whose location an error has. */
function requireTime(value: unknown, node?: ValueNode): string {
  const parsed = timeText.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GraphQLError(
    'A DateTime must be an RFC 3339 string, such as 2026-04-28T00:00:00Z, from the year 1 to 9999 in UTC, with an offset under 16 hours.',
    { nodes: node ?? null },
  );
}

builder.scalarType('DateTime', {
  description: 'A point in time: RFC 3339 in UTC with milliseconds, such as 2026-04-28T09:30:00.000Z.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: asItIs,
  parseValue: (value) => requireTime(value),
  parseLiteral: (node) => requireTime(valueFromASTUntyped(node), node),
});

builder.scalarType('Decimal', {
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  description: 'An exact decimal number as a string, such as "0.000000001". Input may also be a number.',
  serialize: asItIs,
  parseValue: (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new GraphQLError('A Decimal must be a string with a decimal number, or a number.');
    }
    return value;
  },
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING && node.kind !== Kind.INT && node.kind !== Kind.FLOAT) {
      throw new GraphQLError('A Decimal must be a string with a decimal number, or a number.', { nodes: [node] });
    }
    return node.value;
  },
});

const notBytes = 'Bytes must be a whole number of at least 0.';

builder.scalarType('Bytes', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'A number of bytes: an integer from 0 to 9007199254740991, which can exceed the range of Int.',
  serialize: asItIs,
  parseValue: (value) => {
    if (typeof value !== 'number') throw new GraphQLError(notBytes);
    return value;
  },
  parseLiteral: (node) => {
    // A fraction is reported together with the other problems of an input.
    if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT) throw new GraphQLError(notBytes, { nodes: [node] });
    return Number(node.value);
  },
});

/** Linear in the size of the value, which `z.json()` is not. The levels are limited: thousands overflow the stack. */
function isJson(value: unknown, levels: number): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'object' && levels > 0 && Object.values(value).every((each) => isJson(each, levels - 1));
}

function requireJson(value: unknown, node?: ValueNode): Json {
  if (!isJson(value, inputLimits.depth)) {
    throw new GraphQLError(`A JSON value must have at most ${inputLimits.depth} levels.`, { nodes: node ?? null });
  }
  return value;
}

/**
 * The value of a literal. A variable that is not sent is null in a list, and its field is absent from an object, as in
 * inputs of other types. Validation has no variables: they count as absent.
 */
function jsonFromLiteral(node: ValueNode, variables: Record<string, unknown> | null | undefined): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables != null && Object.hasOwn(variables, node.name.value) ? variables[node.name.value] : undefined;
    case Kind.LIST:
      return node.values.map((each) => jsonFromLiteral(each, variables) ?? null);
    case Kind.OBJECT: {
      const fields = node.fields.map(({ name, value }) => [name.value, jsonFromLiteral(value, variables)] as const);
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    default:
      return valueFromASTUntyped(node);
  }
}

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value, stored unchanged.',
  serialize: asItIs,
  parseValue: (value) => requireJson(value),
  parseLiteral: (node, variables) => requireJson(jsonFromLiteral(node, variables) ?? null, node),
});
