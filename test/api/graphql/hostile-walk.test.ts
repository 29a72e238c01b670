// Walks the schema: each list and each object of each input, with ten thousand wrong entries. Every request is refused
// quickly and briefly, and the process keeps answering.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { GraphQLArgument, GraphQLInputType, GraphQLNamedType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { createKey, createTenant, graphql, rest, useApp } from '../../harness.js';

const many = 10_000;
const cpuMsMax = 2_000;
const answerLengthMax = 30_000;

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

const samples: Record<string, unknown> = {
  DateTime: '2026-11-20T12:00:00Z',
  Int: 1,
  Float: 1,
  Boolean: true,
  Bytes: 1,
  Decimal: '1',
};

/** A value that the type takes, with required fields alone. */
function sampleOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [sampleOf(inner.ofType)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (!isInputObjectType(inner)) return samples[inner.name] ?? 'x';
  const required = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type));
  return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
}

/** Values of the type in each of which one list, object or text is hostile. */
function hostileValues(type: GraphQLInputType, place: string, seen: readonly string[]): [string, unknown][] {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const wrong = Array.from({ length: many }, (_, index) => ({ [`wrong${index}`]: index }));
    const right = Array.from({ length: many }, () => sampleOf(inner.ofType));
    const within = hostileValues(inner.ofType, `${place}.0`, seen).map(([at, value]): [string, unknown] => [
      at,
      [value],
    ]);
    return [[`${place}: wrong items`, wrong], [`${place}: too many items`, right], ...within];
  }
  if (isEnumType(inner)) return [[`${place}: no value of the enum`, 'W'.repeat(many)]];
  if (!isInputObjectType(inner)) return [[`${place}: a long text`, 'a'.repeat(200_000)]];
  const unknown = Object.fromEntries(Array.from({ length: many }, (_, index) => [`unknown${index}`, index]));
  const longName = { ['n'.repeat(200_000)]: 1 };
  if (seen.includes(inner.name)) return [[`${place}: unknown fields`, unknown]];
  const base = sampleOf(inner);
  const below = Object.values(inner.getFields()).flatMap((field) =>
    hostileValues(field.type, `${place}.${field.name}`, [...seen, inner.name]).map(([at, value]): [string, unknown] => [
      at,
      { ...(typeof base === 'object' ? base : {}), [field.name]: value },
    ]),
  );
  return [[`${place}: unknown fields`, unknown], [`${place}: a long name`, longName], ...below];
}

function documentOf(root: string, name: string, args: readonly GraphQLArgument[], type: GraphQLNamedType): string {
  const selection = isLeafType(type) ? '' : ' { __typename }';
  const variables = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return `${root} (${variables}) { ${name}(${given})${selection} }`;
}

const roots = [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
] as const;

const fields = roots.flatMap(([root, type]) =>
  Object.values(type?.getFields() ?? {})
    .filter(({ args }) => args.length > 0)
    .map((field) => ({ root, name: field.name, args: field.args, type: getNamedType(field.type) })),
);

describe('Ten thousand wrong entries', () => {
  it.each(fields)(
    'in the arguments of the $root $name are refused quickly and briefly',
    { timeout: 120_000 },
    async (field) => {
      const { root, name, args, type } = field;
      const document = documentOf(root, name, args, type);
      const usual = Object.fromEntries(
        args.map((arg) => [arg.name, isNonNullType(arg.type) ? sampleOf(arg.type) : undefined]),
      );
      const broken: string[] = [];
      for (const arg of args) {
        for (const [place, value] of hostileValues(arg.type, arg.name, [])) {
          const before = process.cpuUsage();
          const { status, body } = await graphql(running.app, key, document, { ...usual, [arg.name]: value });
          const { user, system } = process.cpuUsage(before);
          const text = JSON.stringify(body);
          if (![200, 400, 413].includes(status)) broken.push(`${place}: status ${status}`);
          if (text.length > answerLengthMax) broken.push(`${place}: an answer of ${text.length} characters`);
          if (/internal_error|INTERNAL/.test(text)) broken.push(`${place}: an internal error`);
          if ((user + system) / 1_000 > cpuMsMax) broken.push(`${place}: ${(user + system) / 1_000} ms`);
        }
      }
      expect(broken).toEqual([]);
    },
  );

  it('in the parameters and headers of REST are refused too', async () => {
    const { app } = running;
    const repeated = (name: string) => Array.from({ length: 700 }, (_, index) => `${name}=${index}`).join('&');
    for (const name of ['limit', 'cursor', 'q', 'sort', 'unknown', 'start_time', 'group_by']) {
      for (const path of ['/agents', '/sandboxes', '/jobs', '/metrics', '/images']) {
        const { status, body } = await rest(app, `${path}?${repeated(name)}`, { key, version: '2026-04-28' });
        expect(status).toBeLessThan(500);
        expect(JSON.stringify(body).length).toBeLessThan(answerLengthMax);
      }
    }
    for (const header of ['idempotency-key', 'x-service-workspace', 'service-version', 'accept', 'accept-encoding']) {
      const { status } = await rest(app, '/agents', { key, headers: { [header]: 'a,'.repeat(4_000) } });
      expect(status).toBeLessThan(500);
    }
  });

  it('leave nothing behind', async () => {
    const { db } = running.app.services;
    expect(await Promise.all([db.agent.count(), db.job.count(), db.webhook.count(), db.budget.count()])).toEqual([
      0, 0, 0, 0,
    ]);
    expect((await graphql(running.app, key, '{ viewer { name } }')).body.errors).toBeUndefined();
  });
});
