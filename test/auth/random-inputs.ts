// Random values of the fields of a mutation's input, from the schema: most of the right type, and many that break a rule.
import fc from 'fast-check';
import { isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputField, GraphQLInputType } from 'graphql';
import { fieldsOf, namingFields } from './generic-cases.js';

const times = ['2026-11-20T12:00:00Z', '2099-01-01T00:00:00+01:00', '2000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'];
const names = ['a-name', 'a_name', 'main', 'side', 'eu-open', 'nowhere', 'agent', 'someone@example.com', 'agents:list'];
const texts = ['', ' ', 'x'.repeat(64), 'x'.repeat(2_000), 'nul\u0000', 'lone \ud800', 'a\u202eb', '***', '__proto__'];
const formats = ['https://example.com/x', '203.0.113.0/24', 'Europe/Berlin', '0 5 * * *'];

const values: Record<string, unknown[]> = {
  String: [...names, ...texts, ...formats],
  ID: ['', 'x', 'nul\u0000', Buffer.from('node:Agent:1').toString('base64url')],
  Int: [0, -0, -1, 1, 50, 80, 365, 2_147_483_647],
  Float: [0, -0, -1, 0.5, 100, 1e308],
  Boolean: [true, false],
  Bytes: [0, -1, 1.5, Number.MAX_SAFE_INTEGER, 1e308],
  Decimal: ['0', '1', '-1', '1e308', 'x', '', '0.0000000001', '99999999999999999999', 0.5, 1e308, -0],
  DateTime: times,
  JSON: [{}, { A: 'x' }, { A: null }, JSON.parse('{ "__proto__": 1 }'), [], 'x', null],
};

function valueOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valueOf(type.ofType);
  if (isListType(type)) {
    const item = valueOf(type.ofType);
    return fc.oneof(
      fc.array(item, { maxLength: 3 }),
      item.map((each) => [each, each]),
    );
  }
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (!isInputObjectType(type)) return fc.constantFrom(...(values[type.name] ?? []));
  const fields = Object.values(type.getFields());
  const required = fields.filter(({ type: of }) => isNonNullType(of)).map(({ name }) => name);
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, given(field)])), {
    requiredKeys: required,
  });
}

/** A value of a field, or null if the field can have it. */
function given({ type }: GraphQLInputField): fc.Arbitrary<unknown> {
  const value = valueOf(type);
  return isNonNullType(type) ? value : fc.option(value);
}

/** One to three fields of an input of the mutation. Those that name existing resources are rarely replaced. */
export function replacedFields(mutation: string): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.values(fieldsOf(mutation)).filter(({ name }) => name !== 'validateOnly');
  const one = fields.map((field) => ({
    weight: namingFields(mutation).includes(field.name) ? 1 : 5,
    arbitrary: given(field).map((value) => ({ [field.name]: value })),
  }));
  return fc.array(fc.oneof(...one), { minLength: 1, maxLength: 3 }).map((all) => Object.assign({}, ...all));
}
