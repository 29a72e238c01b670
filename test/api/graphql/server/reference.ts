// Compares the answers of the gateway to generated documents with those of graphql-js over the same schema, resolvers
// and data.
import {
  execute,
  isInterfaceType,
  isObjectType,
  parse,
  subscribe,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../../../../src/auth/context.js';
import { openContext } from '../../../../src/http/open-context.js';
import { encodeGlobalId } from '../../../../src/api/graphql/global-id.js';
import { formatErrors } from '../../../../src/api/graphql/server/format-error.js';
import { schema } from '../../../../src/api/graphql/server/schema.js';
import { cases, prepareCases } from '../../../auth/mutation-cases.js';
import type { Place } from '../../../auth/mutation-cases.js';
import { watch } from '../../../changes/event-stream.js';
import { createKey } from '../../../harness.js';
import type { TestApp } from '../../../harness.js';
import { addPlatform } from '../../../platform.js';
import type { Platform } from '../../../platform.js';
import type { GeneratedCase, GeneratedRun, KnownValues } from './document-generator.js';

/** A gateway with data, whose answers are compared. */
export interface Ground {
  app: TestApp;
  headers: { authorization: string; 'x-service-workspace': string };
  key: string;
  known: KnownValues;
}

/** Mutations that run before the comparison, so that lists have items and the change log has changes. */
const prepared = `createAgent createSandbox createSandboxPreview createJob createVolume createVpc createEgressGateway
  createEgressIp registerImageTag shareImage runJob inviteMember createApiKey createOauthClient createWebhook
  createBudget createGroupRole updateAgent createBillingDimension createResourceType setQuotas setPrice recordUsage
  voidUsage`.split(/\s+/);

/** An agent that uses every part of its specification. */
const fullAgent = {
  workspace: 'main',
  metadata: { name: 'full', displayName: 'Full', labels: [{ key: 'tier', value: 'gold' }] },
  spec: {
    policies: ['standard'],
    runtime: {
      memory: 2048,
      minScale: 0,
      maxScale: 2,
      envs: [
        { name: 'MODE', value: 'fast' },
        { name: 'TOKEN', value: 'a secret', secret: true },
      ],
    },
    triggers: [
      { id: 'nightly', type: 'CRON', enabled: true, configuration: { schedule: '0 3 * * *', tasks: [{ A: '1' }] } },
    ],
  },
};

/** Needs `useApp(settingsOfCases)`. */
export async function prepareGround(app: TestApp): Promise<Ground> {
  const { tenant } = await prepareCases(app);
  const { key } = await createKey(app, tenant);
  const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': 'main' };
  const workspaceId = tenant.workspaces['main'] ?? '';
  const platform = await addPlatform(app, workspaceId, 'alpha');
  const changeCursor = await cursorOf(app, headers);
  for (const [index, mutation] of prepared.entries()) {
    await change(app, headers, mutation, await validInput(mutation, { mark: 'alpha', platform }, `alpha${index}`));
  }
  await change(app, headers, 'createAgent', fullAgent);
  const inputs = await validInputs(app, workspaceId);
  inputs.set('createAgent', { ...fullAgent, metadata: { ...fullAgent.metadata, name: 'fuller' } });
  const ids = new Map(Object.entries(platform).map(([type, id]) => [type, encodeGlobalId(type, id)]));
  ids.set('Workspace', encodeGlobalId('Workspace', workspaceId));
  ids.set('Account', encodeGlobalId('Account', tenant.accountId));
  const { db } = app.services;
  for (const [type, row] of [
    ['ApiKey', await db.apiKey.findFirst({ where: { accountId: tenant.accountId } })],
    ['Webhook', await db.webhook.findFirst({ where: { accountId: tenant.accountId } })],
    ['Invitation', await db.invitation.findFirst({ where: { accountId: tenant.accountId } })],
    ['WebhookDelivery', await db.webhookDelivery.findFirst({ where: { accountId: tenant.accountId } })],
  ] as const) {
    if (row === null) throw new Error(`the ground has no ${type}`);
    ids.set(type, encodeGlobalId(type, row.id));
  }
  const kinds = ['agent', 'sandbox', 'preview', 'job', 'volume', 'vpc', 'gateway', 'ip', 'image', 'v1.0'];
  const texts = {
    name: [...kinds.map((kind) => `alpha-${kind}`), 'full', 'main', 'northwind', 'nothing'],
    workspace: ['main', 'side', 'nowhere'],
    account: ['northwind'],
    vpcName: ['alpha-vpc'],
    gatewayName: ['alpha-gateway'],
    sandboxName: ['alpha-sandbox'],
    resourceName: ['one', 'alpha-agent'],
    resourceType: ['sandbox', 'agent'],
    billingDimension: ['sandbox_compute_runtime_gbs'],
    label: ['tier'],
    search: ['al', 'alpha', 'full'],
    text: ['alpha', 'full'],
    timeZone: ['UTC', 'Europe/Berlin'],
    region: ['eu-open', 'eu-egress', 'eu-frankfurt-1'],
  };
  return { app, headers, key, known: { ids, texts, inputs, changeCursor } };
}

/** A valid input of each mutation: of the resources of one workspace, where the input names resources. */
async function validInputs(app: TestApp, workspaceId: string): Promise<Map<string, unknown>> {
  const platforms = new Map<string, Platform>();
  for (const mark of ['beta', 'gamma', 'delta']) platforms.set(mark, await addPlatform(app, workspaceId, mark));
  // The cases of these delete what is in their resource.
  const emptied: Record<string, string> = { deleteVpc: 'gamma', deleteEgressGateway: 'delta' };
  const inputs = new Map<string, unknown>();
  for (const mutation of Object.keys(cases)) {
    const mark = emptied[mutation] ?? 'beta';
    const platform = platforms.get(mark);
    if (platform === undefined) throw new Error(`there is no platform ${mark}`);
    const place = { mark, platform };
    inputs.set(
      mutation,
      await (mark === 'beta' ? validInput(mutation, place, `m${inputs.size}`) : cases[mutation]?.input(place)),
    );
  }
  return inputs;
}

/** The input of a case. What the case creates has its mark as its name, so every case has a mark of its own. */
async function validInput(mutation: string, place: Place, ownMark: string): Promise<unknown> {
  const each = cases[mutation];
  if (each === undefined) throw new Error(`there is no case of ${mutation}`);
  const own = await each.input({ ...place, mark: ownMark });
  return textOf(own).includes(`${ownMark}-`) ? each.input(place) : own;
}

async function post(
  { app, headers }: Pick<Ground, 'app' | 'headers'>,
  query: string,
  { operationName, variables }: Pick<GeneratedRun, 'operationName' | 'variables'>,
): Promise<Outcome> {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: textOf({ query, operationName, variables }),
  });
  return outcomeOf(await response.json());
}

async function cursorOf(app: TestApp, headers: Ground['headers']): Promise<string> {
  const { data } = await post({ app, headers }, '{ changeCursor }', { operationName: undefined, variables: {} });
  const cursor: unknown = data?.['changeCursor'];
  if (typeof cursor !== 'string') throw new Error('there is no cursor');
  return cursor;
}

/** @throws if the mutation is refused. */
async function change(app: TestApp, headers: Ground['headers'], mutation: string, input: unknown): Promise<void> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { message } ... on InvalidInputError { problems { message } } } }`;
  const outcome = await post({ app, headers }, query, { operationName: undefined, variables: { input } });
  const result = textOf(outcome);
  if (!result.includes('Payload"')) throw new Error(`${mutation}: ${result}`);
}

/** A result as its text has it, with each error as its path and its code. */
interface Outcome {
  data?: Record<string, unknown> | null;
  errors?: string[];
}

function outcomeOf(result: { data?: Record<string, unknown> | null; errors?: readonly unknown[] }): Outcome {
  const { data, errors } = result;
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: [...new Set(errors.map(errorOf))].toSorted() }),
  };
}

/** Several variables that do not fit their types have one error each in graphql-js. The gateway stops at the first. */
function errorOf(error: unknown): string {
  const { path, extensions }: { path?: unknown[]; extensions?: { code?: string } } = JSON.parse(JSON.stringify(error));
  return `${path?.join('.') ?? 'request'}: ${extensions?.code}`;
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

function contextOf({ app, headers }: Ground): Promise<RequestContext> {
  return openContext(app.services, headers, 'reference', '127.0.0.1', 'graphql');
}

function formatted(result: ExecutionResult, { app }: Ground): Outcome {
  const { data, errors } = result;
  const formattedErrors = errors && formatErrors([...errors], 'reference', app.services.log);
  const text = textOf({ data, errors: formattedErrors });
  return outcomeOf(JSON.parse(text));
}

/** The answer of graphql-js. */
async function executeByReference(
  ground: Ground,
  text: string,
  { operationName, variables }: GeneratedRun,
): Promise<Outcome> {
  const contextValue = await contextOf(ground);
  const document = parse(text);
  const args = { schema, document, contextValue, variableValues: variables, rootValue: {} };
  return formatted(await execute({ ...args, ...(operationName === undefined ? {} : { operationName }) }), ground);
}

const eventsMax = 3;
const quietMs = 100;

/** The first events of a subscription, as graphql-js answers them. */
async function subscribeByReference(
  ground: Ground,
  text: string,
  { operationName, variables }: GeneratedRun,
): Promise<Outcome[]> {
  const contextValue = await contextOf(ground);
  const args = { schema, document: parse(text), contextValue, variableValues: variables };
  const events = await subscribe({ ...args, ...(operationName === undefined ? {} : { operationName }) });
  if (!(Symbol.asyncIterator in events)) return [formatted(events, ground)];
  const outcomes: Outcome[] = [];
  const iterator = events[Symbol.asyncIterator]();
  while (outcomes.length < eventsMax) {
    let timer: NodeJS.Timeout | undefined;
    const quiet = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), quietMs);
    });
    const step = await Promise.race([iterator.next(), quiet]);
    clearTimeout(timer);
    if (step === undefined || step.done === true) break;
    outcomes.push(formatted(step.value, ground));
  }
  void iterator.return?.();
  return outcomes;
}

/** As many events of the gateway's stream, or the error that refuses it. */
async function subscribeByGateway(
  { app, headers }: Ground,
  query: string,
  { operationName, variables }: GeneratedRun,
  count: number,
): Promise<Outcome[]> {
  const stream = await watch(
    app,
    headers.authorization.slice('Bearer '.length),
    query,
    variables,
    'POST',
    operationName,
  );
  const { response } = stream;
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    return [outcomeOf(JSON.parse(await response.text()))];
  }
  const outcomes: Outcome[] = [];
  while (outcomes.length < count) {
    const event = await stream.next();
    if (event?.event !== 'next') break;
    outcomes.push(outcomeOf(event.data));
  }
  stream.leave();
  return outcomes;
}

/** Replaces what differs between two answers of graphql-js: random ids, secrets and cursors. */
function withoutRandom(value: unknown, one: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(one) && Array.isArray(other)) {
    return value.map((each: unknown, index) => withoutRandom(each, one[index], other[index]));
  }
  if (isObject(value) && isObject(one) && isObject(other)) {
    const entries = Object.entries(value);
    return entries.map(([name, each]) => [name, withoutRandom(each, own(one, name), own(other, name))]);
  }
  return isRandom(one, other) ? `random ${typeof value}` : value;
}

function isRandom(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one !== other;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: object, name: string): unknown {
  return new Map<string, unknown>(Object.entries(object)).get(name);
}

/** What the comparison of a case came to: `refused` for a document over a limit of the gateway. */
export type Verdict = 'equal' | 'refused' | Difference;

export interface Difference {
  document: string;
  run: GeneratedRun;
  expected: string;
  actual: string;
}

/**
 * Executes the operations of a document in turn, twice, and compares each answer with that of graphql-js: the gateway
 * compiles a query when it is executed again, and no operation may change the answers of another one.
 */
export async function compareWithReference(ground: Ground, { document, runs }: GeneratedCase): Promise<Verdict> {
  // An account can try 50 names of others; the limit would be reached between the two answers.
  await ground.app.services.db.signInAttempt.deleteMany();
  const answers = runs.map((run) => ({ run, reference: referenceOf(ground, document, run) }));
  for (const { run, reference } of [...answers, ...answers]) {
    const expected = await reference();
    const actual = run.isSubscription
      ? await subscribeByGateway(ground, document, run, expected.length)
      : [await post(ground, document, run)];
    if (actual.some(({ errors }) => errors?.includes('request: query_too_complex'))) return 'refused';
    if (textOf(actual) === textOf(expected)) continue;
    const again = await reference({ isFresh: true });
    const [left, right] = [actual, expected].map((each) => textOf(withoutRandom(each, expected, again)));
    if (left !== right) return { document, run, expected: textOf(expected), actual: textOf(actual) };
  }
  return 'equal';
}

/** The answer of graphql-js, which is computed once unless a fresh one is asked for. */
function referenceOf(
  ground: Ground,
  document: string,
  run: GeneratedRun,
): (options?: { isFresh: boolean }) => Promise<Outcome[]> {
  let known: Promise<Outcome[]> | undefined;
  const answer = async (): Promise<Outcome[]> =>
    run.isSubscription
      ? subscribeByReference(ground, document, run)
      : [await executeByReference(ground, document, run)];
  return ({ isFresh } = { isFresh: false }) => (isFresh ? answer() : (known ??= answer()));
}

export function describeDifference({ document, run, expected, actual }: Difference): string {
  const variables = textOf(run.variables);
  return [
    document,
    `operation: ${run.operationName}`,
    `variables: ${variables}`,
    `graphql-js: ${expected}`,
    `gateway:    ${actual}`,
  ].join('\n');
}

/** The errors of validation: the generator makes valid documents only. */
export function problemsOf({ document }: GeneratedCase): string[] {
  return validate(schema, parse(document)).map(({ message }) => message);
}

/** The fields of objects and interfaces, and their arguments, that a document uses. */
export function usedBy({ document }: GeneratedCase): Set<string> {
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = {
    Field: () => {
      used.add(fieldName(types.getParentType(), types.getFieldDef()));
    },
    Argument: () => {
      // The arguments of directives have no place in the schema's types.
      const name = types.getDirective() == null ? types.getArgument()?.name : undefined;
      if (name !== undefined) used.add(`${fieldName(types.getParentType(), types.getFieldDef())}(${name})`);
    },
  };
  visit(parse(document), visitWithTypeInfo(types, visitor));
  return used;
}

/** All fields of objects and interfaces, and their arguments. */
export function usableFields(): Set<string> {
  const names = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const name = fieldName(type, field);
      return [name, ...field.args.map((arg) => `${name}(${arg.name})`)];
    });
  });
  return new Set(names);
}

function fieldName(type: { name: string } | null | undefined, field: { name: string } | null | undefined): string {
  return `${type?.name}.${field?.name}`;
}
