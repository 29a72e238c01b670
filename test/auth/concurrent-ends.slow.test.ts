// Every mutation, at the same time as all mutations that end what it names: each of them succeeds, or says why not.
import { beforeAll, describe, expect, it } from 'vitest';
import { isRequiredInputField } from 'graphql';
import { createKey, graphql, useApp } from '../harness.js';
import { fieldsOf, typePrefix } from './generic-cases.js';
import { cases, inputOf, prepareCases, settingsOfCases } from './mutation-cases.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
let key: string;

/** The workspace that can be left once. */
const once = ['leaveWorkspace'];

/** How often each is tried. The mutations start at slightly different times. */
const rounds = 2;

type Input = Record<string, unknown>;

beforeAll(async () => {
  const { tenant } = await prepareCases(running.app);
  ({ key } = await createKey(running.app, tenant));
});

/** The part of an input that another mutation takes; undefined if it requires more. */
function asInputOf(mutation: string, given: Input): Input | undefined {
  const fields = Object.values(fieldsOf(mutation));
  if (fields.some((field) => isRequiredInputField(field) && given[field.name] === undefined)) return undefined;
  return Object.fromEntries(fields.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

const ends = Object.keys(cases).filter((mutation) => /^(?:delete|remove|revoke|endAccess)/.test(mutation));

/** What ends the resource of an input, or a resource that contains it, except the workspace and the account of all cases. */
function endsOf(input: Input): [string, Input][] {
  const parents = Object.entries(input).flatMap(([field, name]) =>
    /(?:.Name|^owner)$/.test(field) ? [{ ...input, name }] : [],
  );
  return ends.flatMap((mutation) =>
    [input, ...parents].flatMap((named): [string, Input][] => {
      const own = asInputOf(mutation, named);
      if (own === undefined || ['main', 'northwind'].includes(String(own['name']))) return [];
      return [[mutation, mutation === 'endAccess' ? { ...own, everywhere: true } : own]];
    }),
  );
}

async function send(mutation: string, input: Input, afterMs: number): Promise<string[]> {
  await new Promise((resolve) => {
    setTimeout(resolve, afterMs);
  });
  const document = `mutation ($input: ${typePrefix(mutation)}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { code } } }`;
  const { body } = await graphql(running.app, key, document, { input });
  const errors: { extensions: { code: string } }[] = body.errors ?? [];
  return errors.map(({ extensions }) => `${mutation}: ${extensions.code}`);
}

describe('Of mutations at the same time, none fails unexpectedly:', () => {
  it.each(Object.entries(cases).filter(([mutation]) => !once.includes(mutation)))(
    '%s, and what ends its resource',
    async (mutation, each) => {
      for (let round = 0; round < rounds; round++) {
        const input: Input = { ...(await inputOf(each, `${mutation.toLowerCase()}-${round}`)) };
        const others = endsOf(input).map(([end, own], index) => send(end, own, (round + index) % 4));
        const failures = await Promise.all([send(mutation, input, round), send(mutation, input, 0), ...others]);
        expect(failures.flat()).toEqual([]);
      }
    },
  );
});
