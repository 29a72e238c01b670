// Every text of every mutation's input, also in JSON, either refuses what disguises it, or is in a list with the reason why
// it does not have to.
import { beforeAll, expect, it } from 'vitest';
import { getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { takes } from '../../auth/generic-cases.js';
import { cases, inputOf, ofExecutors, prepareCases, settingsOfCases } from '../../auth/mutation-cases.js';
import { createKey, graphql, useApp } from '../../harness.js';
import type { Answer } from '../../harness.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../../resources/mutations.js';

const running = useApp(settingsOfCases);
let key: string;

/** Invisible characters, one that changes the direction of text, and a text of spaces only. */
const disguised = ['a\u200Bb', 'a\u00ADb', 'a\u3164b', 'a\uFEFFb', 'a\uFFF9b', 'a\u2028b', 'a\u202Eb', ' '];

/** The inputs that take any text of characters that can be stored. */
const exempt = [
  // A value that a program reads, and that is not shown.
  'EnvInput.value',
  'RunJobInput.envOverride (value)',
  ...['SandboxPreviewSpecInput', 'SandboxPreviewSpecUpdateInput'].flatMap((type) =>
    ['requestHeaders', 'responseHeaders'].map((field) => `${type}.${field} (value)`),
  ),
  'TriggerConfigurationInput.tasks (value)',
  // Filters select what is there.
  ...['actors', 'clients', 'names'].map((field) => `ChangeFilter.${field}`),
  ...usageNames('UsageEventFilterInput', ['source', 'eventId']),
  'VoidUsageInput.source',
  'VoidUsageInput.ids',
  // Usage is recorded as meters send it: an event that is refused is lost.
  ...usageNames('UsageEventInput', ['source', 'id', 'account', 'time']),
  ...usageNames('UsageEventChangeInput', []),
];

function usageNames(type: string, more: string[]): string[] {
  const names = ['workspace', 'resourceType', 'resourceName', 'resourceUuid', 'billingDimension', ...more];
  return names.map((name) => `${type}.${name}`);
}

beforeAll(async () => {
  const { tenant } = await prepareCases(running.app);
  ({ key } = await createKey(running.app, tenant));
});

interface TextInput {
  /** The input type and the field. */
  name: string;
  path: string[];
  mutation: string;
  /** The value of the field that has a text. */
  valueOf: (text: string) => unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All texts of an input type, and of the types below it that no mutation before had. */
function* textsOf(
  mutation: string,
  type: GraphQLInputObjectType,
  path: string[],
  seen: Set<string>,
): Generator<TextInput> {
  if (seen.has(type.name)) return;
  seen.add(type.name);
  for (const { name, type: fieldType } of Object.values(type.getFields())) {
    const inner = getNamedType(fieldType);
    const field = { path: [...path, name], mutation };
    if (inner.name === 'String') yield { ...field, name: `${type.name}.${name}`, valueOf: (text) => text };
    if (inner.name === 'JSON') {
      yield { ...field, name: `${type.name}.${name} (key)`, valueOf: (text) => ({ [text]: 'a' }) };
      yield { ...field, name: `${type.name}.${name} (value)`, valueOf: (text) => ({ a: text }) };
    }
    if (isInputObjectType(inner)) yield* textsOf(mutation, inner, [...path, name], seen);
  }
}

const samples: Record<string, unknown> = {
  Int: 1,
  Float: 1,
  Boolean: true,
  Decimal: '1',
  DateTime: '2026-11-20T12:00:00Z',
};

/** The required fields of an input object. */
function sampleOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [sampleOf(inner.ofType)];
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter(({ type: each }) => getNullableType(each) !== each);
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
  }
  return 'getValues' in inner ? inner.getValues()[0]?.name : (samples[inner.name] ?? 'a');
}

/** A copy of an input with a text at a path. */
function withText(
  type: GraphQLInputObjectType,
  input: unknown,
  [name = '', ...rest]: string[],
  text: unknown,
): Record<string, unknown> {
  const field = type.getFields()[name];
  if (field === undefined) throw new Error(`${type.name} has no field ${name}`);
  const given = isRecord(input) ? input : {};
  const isList = isListType(getNullableType(field.type));
  const inner = getNamedType(field.type);
  const before = given[name];
  const one: unknown = Array.isArray(before) ? before[0] : before;
  const base = one ?? (isInputObjectType(inner) ? sampleOf(inner) : undefined);
  const value = isInputObjectType(inner) ? withText(inner, base, rest, text) : text;
  return { ...given, [name]: isList ? [value] : value };
}

const mutations = Object.keys(cases).filter((mutation) => takes(mutation, 'validateOnly'));
const inputType = (mutation: string) => {
  const type = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`);
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no input`);
  return type;
};

/** Whether an answer says that the field is wrong, or that nothing has that name. */
function isRefused({ status, body }: Answer, field: string): boolean {
  const result = body.data?.result;
  if (status === 400 || result?.__typename === undefined) return true;
  if (['NotFoundError', 'ForbiddenError'].includes(result.__typename)) return true;
  const paths: string[][] = [result.path ?? [], ...(result.problems ?? []).map(({ path }: { path: string[] }) => path)];
  return paths.some((path) => path.includes(field));
}

it('Texts that people read refuse what disguises them', async () => {
  const seen = new Set<string>();
  const taking = new Set<string>();
  let tried = 0;
  for (const [index, mutation] of mutations.entries()) {
    const type = inputType(mutation);
    const texts = [...textsOf(mutation, type, [], seen)];
    const one = cases[mutation];
    if (texts.length === 0 || one === undefined) continue;
    const base = await inputOf(one, `d${index}`);
    // Quotas are either of a plan or of an account.
    const ofAccount = { ...base, plan: undefined, account: 'northwind' };
    const document = `mutation ($input: ${type.name}!) { result: ${mutation}(input: $input) {
      __typename ... on Error { code path } ... on InvalidInputError { problems { path } } } }`;
    for (const { name, path, valueOf } of texts) {
      const isOfAccount = mutation === 'setQuotas' && name !== 'SetQuotasInput.plan';
      for (const text of disguised) {
        const input = { ...withText(type, isOfAccount ? ofAccount : base, path, valueOf(text)), validateOnly: true };
        const answer = await graphql(running.app, key, document, { input });
        expect([name, answer.status < 500]).toEqual([name, true]);
        tried++;
        if (!isRefused(answer, path.at(-1) ?? '')) taking.add(name);
      }
    }
  }
  expect(tried).toBeGreaterThan(500);
  expect([...taking].toSorted()).toEqual(exempt.toSorted());
}, 300_000);

it('Executors cannot disguise what people read, and their messages lose what disguises them', async () => {
  const { app } = running;
  const executor = await anExecutor(app, 'disguised', { kinds: ['AGENT'] });
  const agent = { workspace: 'main', metadata: { name: 'disguised' }, spec: {} };
  expect(await mutate(app, key, 'createAgent', 'agent { id }', agent)).toHaveProperty('agent');
  const { assignments } = await executor.claim();
  const [{ id, fence }] = assignments;
  const taking = new Set<string>();
  let tried = 0;
  for (const mutation of ofExecutors) {
    const type = inputType(mutation);
    const document = `mutation ($input: ${type.name}!) { result: ${mutation}(input: $input) {
      __typename ... on Error { code path } ... on InvalidInputError { problems { path } } } }`;
    for (const { name, path, valueOf } of textsOf(mutation, type, [], new Set())) {
      for (const text of disguised) {
        const sample = { ...sampleInput(type), id, fence, state: 'BUILDING' };
        const input = withText(type, sample, path, valueOf(text));
        const answer = await graphql(app, executor.key, document, { input });
        expect([name, answer.status < 500]).toEqual([name, true]);
        tried++;
        if (!isRefused(answer, path.at(-1) ?? '')) taking.add(name);
      }
    }
  }
  expect(tried).toBeGreaterThan(40);
  // A report whose message is refused is lost, so its message is cleaned.
  expect([...taking].toSorted()).toEqual(['ExecutorReportAssignmentInput.message', 'JobTaskConditionInput.message']);
  await executor.report({ id, fence }, { state: 'FAILED', message: 'a\u200Bb\u202Ec \u{1F468}\u200D\u{1F469}' });
  const { body } = await graphql(app, key, '{ agent(workspace: "main", name: "disguised") { events { message } } }');
  const messages = body.data.agent.events.map(({ message }: { message: string }) => message);
  expect(messages).toContain('a\uFFFDb\uFFFDc \u{1F468}\u200D\u{1F469}');
  expect(messages.join('')).not.toMatch(/[\u200B\u00AD\u3164\uFEFF\u202E]/);
});

it('Every mutation is covered: the others cannot be tried without a change, and take usage as meters send it', () => {
  const tried = new Set([...mutations, ...ofExecutors]);
  expect(Object.keys(cases).filter((mutation) => !tried.has(mutation))).toEqual(['recordUsage']);
});

function sampleInput(type: GraphQLInputObjectType): Record<string, unknown> {
  const sample = sampleOf(type);
  if (!isRecord(sample)) throw new Error(`${type.name} is not an object`);
  return sample;
}
