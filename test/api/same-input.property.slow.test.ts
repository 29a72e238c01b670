// The same input has the same outcome as a dry run and as a change, as a mutation of GraphQL and as a document that an
// assistant or the command line applies. PROPERTY_RUNS says how many inputs of each kind are tried.
import fc from 'fast-check';
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import type { GraphQLNamedType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { schema } from '../../src/api/graphql/server/schema.js';
import { documentOf, plain } from '../auth/payload-selection.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { openShell } from '../manifests/command.js';
import type { Shell } from '../manifests/command.js';
import { addRegions, mutate } from '../resources/mutations.js';
import { wholeState } from '../resources/whole-state.js';
import { faults, generatedKinds, withFault } from './generated-inputs.js';
import type { GeneratedKind, Input } from './generated-inputs.js';
import { connectAssistant } from './mcp/assistant.js';
import type { Assistant } from './mcp/assistant.js';

const running = useApp({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
const runs = Number(process.env['PROPERTY_RUNS'] ?? 2);
/** The workspaces of mutations, and of the documents of the assistant and of the command line. */
const places = { graph: 'graph', tool: 'tool', command: 'command' };
let key = '';
let assistant: Assistant;
let shell: Shell;
let count = 0;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'same', workspaces: Object.values(places) });
  ({ key } = await createKey(app, tenant));
  await addRegions(app);
  for (const workspace of Object.values(places)) {
    const create = (kind: string, input: object) =>
      mutate(app, key, `create${kind}`, '__typename', { workspace, ...input });
    await create('Volume', { metadata: { name: 'data' }, spec: { region: 'eu-open', sizeMb: 1 } });
    await create('Sandbox', { metadata: { name: 'box' } });
    await create('Vpc', { metadata: { name: 'net' } });
    await create('EgressGateway', { vpcName: 'net', metadata: { name: 'out' }, spec: { region: 'eu-egress' } });
  }
  assistant = await connectAssistant(app, key);
  shell = await openShell(app);
  shell.environment['KEY'] = key;
});

interface Outcome {
  isAccepted: boolean;
  /** Whether the input does not fit its type, so that its rules were not checked. */
  isUnreadable: boolean;
  problems: string[];
}

const fieldOf = (kind: string) => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;

/** Runs a mutation as a dry run, which changes nothing, and then as a change, which has the same result. */
async function change(mutation: string, input: Input): Promise<Answer['body']> {
  const { app } = running;
  const document = documentOf(mutation);
  const before = await wholeState(app.services.db);
  const dry = await graphql(app, key, document, { input: { ...input, validateOnly: true } });
  expect(await wholeState(app.services.db)).toEqual(before);
  const { body } = await graphql(app, key, document, { input });
  expect(plain(dry.body)).toEqual(plain(body));
  return body;
}

/** The outcome of a mutation. Documents name labels by their keys. */
function outcomeOf({ data, errors }: Answer['body'], { metadata }: Input): Outcome {
  const { __typename: type = '', message, problems = [{ message }] } = data?.result ?? {};
  const nameLabel = (text: string) =>
    text.replace(/^metadata\.labels\.(\d+)\.(?:key|value)/, (_, at) => `metadata.labels.${metadata.labels[at].key}`);
  const isAccepted = type.endsWith('Payload');
  return {
    isAccepted,
    isUnreadable: errors !== undefined,
    problems:
      isAccepted || errors ? [] : problems.map((each: { message: string }) => nameLabel(each.message)).toSorted(),
  };
}

/** Applies a document as a dry run, which changes nothing, and then as a change, which has the same result. */
async function apply(document: Input): Promise<Outcome> {
  const { app } = running;
  const manifest = JSON.stringify(document);
  const call = async (dryRun: boolean) =>
    (await assistant.call('apply_manifest', { manifest, dryRun, maxBytes: 60_000 })).result;
  const before = await wholeState(app.services.db);
  const dry = await call(true);
  expect(await wholeState(app.services.db)).toEqual(before);
  const result = await call(false);
  expect({ ...dry, dryRun: false }).toEqual({ ...result, dryRun: false });
  const [first] = result.results ?? [];
  const messages = (first?.problems ?? []).map((each: { message: string }) => each.message).toSorted();
  const isUnreadable = result.error?.code === 'invalid_input';
  return { isAccepted: /^(?:created|updated|unchanged)$/.test(first?.action), isUnreadable, problems: messages };
}

/** A resource by its id: its version, the fields of its update in GraphQL, and its manifest. */
async function read(kind: string, id: string) {
  const type = schema.getType(kind);
  const selection = selectionOf(schema.getType(`Update${kind}Input`), type);
  const query = `query ($id: ID!) { node(id: $id) { ... on ${kind} { version ${selection} } } }`;
  const { body } = await graphql(running.app, key, query, { id });
  const { version, metadata, spec } = body.data.node;
  const { result } = await assistant.call('get_resource', { id, maxBytes: 60_000 });
  return { version, fields: { metadata, spec }, manifest: parse(result.manifest) };
}

/** The fields of an input type that the type of the resource has as well. */
function selectionOf(input: GraphQLNamedType | undefined, shown: GraphQLNamedType | undefined): string {
  if (!isInputObjectType(input) || !isObjectType(shown)) return '';
  const fields = Object.values(input.getFields()).flatMap(({ name, type }) => {
    const field = shown.getFields()[name];
    if (field === undefined || ['id', 'workspace'].includes(name)) return [];
    const inner = selectionOf(getNamedType(type), getNamedType(field.type));
    return [inner === '' ? name : `${name} { ${inner} }`];
  });
  return fields.join(' ');
}

/** What of a manifest is equal in all workspaces, and in a resource and its replacement. */
function contentOf({ metadata, spec }: Input): unknown {
  return JSON.parse(JSON.stringify({ metadata: { ...metadata, name: '' }, spec }), (name, value) =>
    name === 'id' ? undefined : value,
  );
}

describe.each(generatedKinds)('$kind', (of: GeneratedKind) => {
  const { kind, parents, metadata, spec, immutable = [] } = of;
  const input = (whole: Input) => ({
    workspace: places.graph,
    ...Object.fromEntries(Object.entries(parents).map(([field, name]) => [`${field}Name`, name])),
    ...whole,
  });
  const options = Object.entries(parents)
    .map(([field, name]) => ` --${field} ${name}`)
    .join('');
  const document = (whole: Input, workspace = places.tool) => ({ kind, workspace, ...parents, ...whole });
  const idOf = async (workspace: string, name: string): Promise<string> => {
    const { [fieldOf(kind)]: found } = await mutate(
      running.app,
      key,
      `update${kind}`,
      `${fieldOf(kind)} { id }`,
      input({ workspace, name }),
    );
    return found.id;
  };

  it('is created alike by all, and has the same content', async () => {
    await fc.assert(
      fc.asyncProperty(metadata, spec, faults, async (given, wanted, broken) => {
        const name = `n${count++}`;
        const whole = broken.reduce(withFault, { metadata: { name, ...given }, spec: wanted });
        const graph = outcomeOf(await change(`create${kind}`, input(whole)), whole);
        const tool = await apply(document(whole));
        expect(tool).toEqual(tool.isUnreadable ? { ...graph, isUnreadable: true, problems: [] } : graph);
        const command = await shell.run('apply -f -', JSON.stringify(document(whole, places.command)));
        expect(command.exitCode).toBe(graph.isAccepted ? 0 : 1);
        fc.pre(graph.isAccepted);
        const [one, ...others] = await Promise.all(
          Object.values(places).map(async (workspace) => read(kind, await idOf(workspace, name))),
        );
        for (const other of others)
          expect(plain(other)).toEqual(
            plain({ ...one, manifest: { ...one?.manifest, workspace: other.manifest.workspace } }),
          );
      }),
      { numRuns: runs },
    );
  });

  it('is not changed by what was read', async () => {
    await fc.assert(
      fc.asyncProperty(metadata, spec, async (given, wanted) => {
        const name = `n${count++}`;
        const whole = { metadata: { name, ...given }, spec: wanted };
        fc.pre((await apply(document(whole))).isAccepted);
        const id = await idOf(places.tool, name);
        const before = await read(kind, id);
        const state = await wholeState(running.app.services.db);
        expect(outcomeOf(await change(`update${kind}`, { id, ...before.fields }), whole)).toMatchObject({
          isAccepted: true,
        });
        expect(await apply(before.manifest)).toMatchObject({ isAccepted: true });
        expect(await apply(document(whole))).toMatchObject({ isAccepted: true });
        const printed = await shell.done(`get ${kind} ${name}${options} --workspace ${places.tool} -o yaml`);
        expect(await shell.done('apply -f -', printed)).toContain('1 unchanged');
        expect(await read(kind, id)).toEqual(before);
        expect(await wholeState(running.app.services.db)).toEqual(state);
      }),
      { numRuns: runs },
    );
  });

  it('is updated alike by all', async () => {
    await fc.assert(
      fc.asyncProperty(
        metadata,
        spec,
        metadata,
        spec,
        faults,
        async (given, wanted, nextMetadata, nextSpec, broken) => {
          const name = `n${count++}`;
          const first = { metadata: { name, ...given }, spec: wanted };
          fc.pre(outcomeOf(await change(`create${kind}`, input(first)), first).isAccepted);
          await apply(document(first));
          // A document replaces the resource: the result is that of a creation with its content.
          const fixed = Object.fromEntries(immutable.map((field) => [field, wanted[field]]));
          const next = { metadata: { name, ...nextMetadata }, spec: { ...nextSpec, ...fixed } };
          const fresh = { ...next, metadata: { ...nextMetadata, name: `${name}-fresh` } };
          const created = await change(`create${kind}`, input(fresh));
          expect(await apply(document(next))).toEqual(outcomeOf(created, fresh));
          const replaced = await read(kind, await idOf(places.tool, name));
          const expected = outcomeOf(created, fresh).isAccepted
            ? created.data.result[fieldOf(kind)].id
            : await idOf(places.graph, name);
          expect(contentOf(replaced.manifest)).toEqual(contentOf((await read(kind, expected)).manifest));
          // An update changes the fields that it has, and its document is that of the result.
          const changes = broken.reduce(withFault, {
            metadata: nextMetadata,
            spec: Object.fromEntries(Object.entries(nextSpec).filter(([field]) => !immutable.includes(field))),
          });
          const update = input({ name, ...changes });
          await change(`update${kind}`, update);
          const updated = await read(kind, await idOf(places.graph, name));
          await change(`update${kind}`, update);
          expect(await read(kind, await idOf(places.graph, name))).toEqual(updated);
          // A stored secret cannot be read, and so not be applied elsewhere.
          const isMasked = JSON.stringify(updated.manifest).includes('***');
          await apply({ ...updated.manifest, workspace: isMasked ? places.graph : places.tool });
          const followed = await read(kind, await idOf(isMasked ? places.graph : places.tool, name));
          expect(contentOf(followed.manifest)).toEqual(contentOf(updated.manifest));
        },
      ),
      { numRuns: runs },
    );
  });
});
