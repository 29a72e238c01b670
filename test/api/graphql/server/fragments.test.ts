// Fragments, conditions, aliases and several operations in one document: no selected field is missing, however the
// request is sent and however often it is executed.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../../src/api/graphql/global-id.js';
import { addAgents, anAgent, createKey, createTenant, graphql, useApp } from '../../../harness.js';
import type { Tenant } from '../../../harness.js';
import { eventStreams, queryTransports, transports, trusting } from './transports.js';
import type { Sent } from './transports.js';

const agentId = '00000000-0000-4000-8000-0000000000a1';
const id = encodeGlobalId('Agent', agentId);
const agent = { id, name: 'one' };

interface Example extends Sent {
  data: unknown;
}

const first = (fragments: string) => `agents(first: 1) { nodes { ${fragments} } }`;
const nodes = (node: object) => ({ agents: { nodes: [node] } });
const twice = `query ($i: Boolean!) { ${first('...A @include(if: $i) ...A')} } fragment A on Agent { id name }`;
const skipped = `query ($i: Boolean!) { ${first('...A @skip(if: $i) ...A')} } fragment A on Agent { id name }`;
const shared = `query ($i: Boolean!) { ${first('...Left @include(if: $i) ...Right')} }
  fragment Left on Agent { uuid ...Both } fragment Right on Agent { version ...Both } fragment Both on Agent { id name }`;
const sharedLast = `query ($i: Boolean!) { ${first('...Right ...Left @include(if: $i)')} }
  fragment Left on Agent { uuid ...Both } fragment Right on Agent { version ...Both } fragment Both on Agent { id name }`;
const root = `query ($i: Boolean!) { ...Q @include(if: $i) ...Q } fragment Q on Query { viewer { name } }`;
const onInterface = `query ($i: Boolean!) { ${first('... on Named { ...N @include(if: $i) } ... on Resource { ...N }')} }
  fragment N on Named { name }`;
const ofNode = `query ($i: Boolean!, $id: ID!) { node(id: $id) { id ...A @include(if: $i) ... on Resource { ...A } } }
  fragment A on Agent { name }`;
const ofNodes = `query ($i: Boolean!, $id: ID!) { nodes(ids: [$id, $id]) { ...A @skip(if: $i) ... on Agent { ...A } } }
  fragment A on Agent { id name }`;
const aliases = `query ($i: Boolean!) { a: ${first('...A @include(if: $i)')} b: ${first('...A')} c: ${first('...A @skip(if: $i)')} }
  fragment A on Agent { id name }`;
const field = `query ($i: Boolean!) { ${first('id name @include(if: $i) name')} }`;
const objects = `query ($i: Boolean!) { ${first('id metadata @include(if: $i) { name } metadata { displayName }')} }`;
const literals = `{ ${first('...A @include(if: false) ...B ...A @skip(if: true) ... @include(if: true) { name }')} }
  fragment A on Agent { version ...B } fragment B on Agent { id }`;
const operations = `query One($i: Boolean!) { ${first('...A @include(if: $i)')} } query Two { ${first('...A')} }
  fragment A on Agent { id name }`;
const reserved = `{ ${first('__proto__: id constructor: name toString: id hasOwnProperty: name __typename')} }`;
const viewer = { viewer: { name: 'owner@northwind.example.com' } };
const full = { uuid: agentId, version: 1 };

const examples: Record<string, Example> = {
  'A fragment that is spread twice, once on a false condition': {
    query: twice,
    variables: { i: false },
    data: nodes(agent),
  },
  'A fragment that is spread twice, once on a true condition': {
    query: twice,
    variables: { i: true },
    data: nodes(agent),
  },
  'A fragment that is spread twice, once skipped': { query: skipped, variables: { i: true }, data: nodes(agent) },
  'Two fragments that share a third, the first excluded': {
    query: shared,
    variables: { i: false },
    data: nodes({ version: full.version, ...agent }),
  },
  'Two fragments that share a third, both included': {
    query: shared,
    variables: { i: true },
    data: nodes({ ...full, ...agent }),
  },
  'Two fragments that share a third, the second excluded': {
    query: sharedLast,
    variables: { i: false },
    data: nodes({ version: full.version, ...agent }),
  },
  'A conditional fragment of the root': { query: root, variables: { i: false }, data: viewer },
  'A conditional fragment of an interface': {
    query: onInterface,
    variables: { i: false },
    data: nodes({ name: 'one' }),
  },
  'A conditional fragment of a node': { query: ofNode, variables: { i: false, id }, data: { node: agent } },
  'A skipped fragment of nodes': { query: ofNodes, variables: { i: true, id }, data: { nodes: [agent, agent] } },
  'One fragment under three aliases, some excluded': {
    query: aliases,
    variables: { i: true },
    data: { a: { nodes: [agent] }, b: { nodes: [agent] }, c: { nodes: [{}] } },
  },
  'One fragment under three aliases, others excluded': {
    query: aliases,
    variables: { i: false },
    data: { a: { nodes: [{}] }, b: { nodes: [agent] }, c: { nodes: [agent] } },
  },
  'A field that is selected twice, once on a false condition': {
    query: field,
    variables: { i: false },
    data: nodes(agent),
  },
  'An object that is selected twice, once on a false condition': {
    query: objects,
    variables: { i: false },
    data: nodes({ id, metadata: { displayName: null } }),
  },
  'An object that is selected twice, once on a true condition': {
    query: objects,
    variables: { i: true },
    data: nodes({ id, metadata: { name: 'one', displayName: null } }),
  },
  'Conditions that are literals': { query: literals, data: nodes(agent) },
};

const texts = [...Object.values(examples).map(({ query }) => query), operations, reserved];

const deletions = `mutation { a: deleteAgent(input: { name: "no-such-agent", workspace: "main" }) { ...R }
  b: deleteAgent(input: { name: "no-agent-either", workspace: "main" }) { ...R }
  c: deleteAgent(input: { name: "one", workspace: "main", validateOnly: true }) { ...R } }
  fragment R on DeleteAgentResult { ...E @include(if: false) ...E __typename } fragment E on Error { code message }`;

const running = useApp(trusting([...texts, deletions]));
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(app, tenant.workspaces['main'], [{ ...anAgent('one'), id: agentId }]);
});

describe.each(Object.entries(queryTransports))('By %s', (_, send) => {
  it.each(Object.entries(examples))('%s', async (_name, { data, ...sent }) => {
    // A query that is executed again may be executed by other code.
    for (let execution = 0; execution < 3; execution++) {
      expect(await send(running.app, key, sent)).toEqual({ data, errors: undefined });
    }
  });

  it('operations of one document do not change the answers of one another', async () => {
    const one = (i: boolean) => send(running.app, key, { query: operations, variables: { i }, operationName: 'One' });
    const two = () => send(running.app, key, { query: operations, operationName: 'Two' });
    for (let execution = 0; execution < 3; execution++) {
      expect((await one(false)).data).toEqual(nodes({}));
      expect((await two()).data).toEqual(nodes(agent));
      expect((await one(true)).data).toEqual(nodes(agent));
    }
  });

  it('aliases named as properties of every object are answered', async () => {
    for (let execution = 0; execution < 3; execution++) {
      const { data, errors } = await send(running.app, key, { query: reserved });
      expect(errors).toBeUndefined();
      expect(Object.entries(data.agents.nodes[0])).toEqual([
        ['__proto__', id],
        ['constructor', 'one'],
        ['toString', id],
        ['hasOwnProperty', 'one'],
        ['__typename', 'Agent'],
      ]);
    }
  });
});

describe.each(Object.entries(transports))('By %s', (_, send) => {
  it('the errors of the second and later mutations are complete', async () => {
    for (let execution = 0; execution < 2; execution++) {
      const { data, errors } = await send(running.app, key, { query: deletions });
      expect(errors).toBeUndefined();
      const missing = { code: 'not_found', message: expect.any(String), __typename: 'NotFoundError' };
      expect(data).toEqual({ a: missing, b: missing, c: { __typename: 'DeleteAgentPayload' } });
    }
  });
});

describe.each(Object.entries(eventStreams))('By %s', (_, send) => {
  it('events have the fields of a fragment that is spread twice, once on a false condition', async () => {
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    const input = { workspace: 'main', metadata: { name: `watched-${_.slice(0, 3).toLowerCase()}` } };
    const create = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { __typename } }';
    await graphql(running.app, key, create, { input });
    const query = `subscription ($after: String!, $i: Boolean! = false) {
      changes(after: $after) { ...E @include(if: $i) ...E } }
      fragment E on ChangeEdge { node { ...C @skip(if: true) ...C __proto__: kind } } fragment C on Change { name kind }`;
    const { data, errors } = await send(running.app, key, { query, variables: { after: body.data.changeCursor } });
    expect(errors).toBeUndefined();
    expect(Object.entries(data.changes.node)).toEqual([
      ['name', input.metadata.name],
      ['kind', 'AGENT'],
      ['__proto__', 'AGENT'],
    ]);
  });
});
