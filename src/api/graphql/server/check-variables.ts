// Validates the variables of an operation against their types, and stops at the first error. graphql-js collects every
// error with suggestions and values, which takes seconds for a small request with thousands of errors.
import {
  getNullableType,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType, OperationDefinitionNode } from 'graphql';
import { cutText, invalidParameter, quoted } from '../../../errors.js';
import { usageBatchMax } from '../../../metering/usage.js';
import { nodesMax } from '../global-id.js';
import { schema } from './schema.js';

/** Twice `inputItemsMax`, so that the mutation itself reports a list that is slightly too long. */
const itemsMaxByDefault = 2_000;

const itemsMaxByType: ReadonlyMap<string, number> = new Map([
  ['ID', nodesMax],
  ['UsageEventInput', usageBatchMax],
]);

/** Fields that may have longer lists than others of their type. */
const itemsMaxByField: ReadonlyMap<string, number> = new Map([['VoidUsageInput.ids', usageBatchMax]]);

/** Characters of an error of a scalar, which may quote the value. */
const scalarErrorLengthMax = 200;

/**
 * @throws {GraphQLError} naming the first value that does not fit its type; 400 `invalid_parameter` for a list with too
 *   many items.
 */
export function checkVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const inputType = typeFromAST(schema, type);
    if (!isInputType(inputType)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined && defaultValue !== undefined) continue;
    checkValue(inputType, value, [name]);
  }
}

function checkValue(type: GraphQLInputType, value: unknown, path: string[], itemsMax?: number): void {
  if (value === null || value === undefined) {
    if (isNonNullType(type)) throw invalidVariable(path, `a value of type "${String(type)}" is required`);
    return;
  }
  const inner = getNullableType(type);
  if (isListType(inner)) checkList(inner.ofType, value, path, itemsMax);
  else if (isInputObjectType(inner)) checkObject(inner, value, path);
  else if (isEnumType(inner)) {
    const isKnown = typeof value === 'string' && inner.getValue(value) !== undefined;
    if (!isKnown) throw invalidVariable(path, `${quoted(value)} is not a value of the enum "${inner.name}"`);
  } else {
    try {
      inner.parseValue(value);
    } catch (error) {
      const problem = error instanceof Error ? error.message.replace(/\.$/, '') : 'it is not valid';
      throw invalidVariable(path, cutText(problem, scalarErrorLengthMax));
    }
  }
}

/** A value that is no list counts as a list of one item (GraphQL specification, section 3.11). */
function checkList(itemType: GraphQLInputType, value: unknown, path: string[], itemsMax?: number): void {
  if (!Array.isArray(value)) return checkValue(itemType, value, path);
  const most = itemsMax ?? itemsMaxByType.get(String(getNullableType(itemType))) ?? itemsMaxByDefault;
  if (value.length > most) {
    throw invalidParameter(path.join('.'), `must be at most ${most} items`, { limit: most, actual: value.length });
  }
  for (const [index, item] of value.entries()) checkValue(itemType, item, [...path, String(index)]);
}

function checkObject(type: GraphQLInputObjectType, value: unknown, path: string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidVariable(path, `an object of type "${type.name}" is required`);
  }
  const fields = type.getFields();
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    throw invalidVariable(path, `field ${quoted(unknown)} is not defined by type "${type.name}"`);
  }
  const values = new Map<string, unknown>(Object.entries(value));
  for (const [name, field] of Object.entries(fields)) {
    const each = values.get(name);
    if (each === undefined && field.defaultValue !== undefined) continue;
    checkValue(field.type, each, [...path, name], itemsMaxByField.get(`${type.name}.${name}`));
  }
}

function invalidVariable([name = '', ...rest]: string[], problem: string): GraphQLError {
  const position = rest.length === 0 ? '' : ` at "${[name, ...rest].join('.')}"`;
  return new GraphQLError(`Variable "$${name}" got invalid value${position}; ${problem}.`);
}
