// Relay as an app uses it, with the compiler's output for `relay/agents.ts`: `@connection`, `@refetchable` by node,
// `@appendNode` and `@deleteEdge`, a subscription. Its gateway runs only the documents that the compiler listed.
import './installed.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, print } from 'graphql';
import { createClient } from 'graphql-sse';
import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
} from 'relay-runtime';
import type { ConcreteRequest, GraphQLResponse, MutationParameters, SelectorData } from 'relay-runtime';
import { describe, expect, it } from 'vitest';
import { names, useFleet, useSilentConsole } from './fleet.js';
import createMutation from './relay/compiled/agentsCreateMutation.graphql.js';
import listQuery from './relay/compiled/agentsListQuery.graphql.js';
import type { agentsListQuery } from './relay/compiled/agentsListQuery.graphql.js';
import oneQuery from './relay/compiled/agentsOneQuery.graphql.js';
import pageQuery from './relay/compiled/agentsPageQuery.graphql.js';
import removeMutation from './relay/compiled/agentsRemoveMutation.graphql.js';
import renameMutation from './relay/compiled/agentsRenameMutation.graphql.js';
import watchSubscription from './relay/compiled/agentsWatchSubscription.graphql.js';
import type { agentsWatchSubscription } from './relay/compiled/agentsWatchSubscription.graphql.js';
import agentFragment from './relay/compiled/agents_agent.graphql.js';
import type { agents_agent$data } from './relay/compiled/agents_agent.graphql.js';
import workspaceFragment from './relay/compiled/agents_workspace.graphql.js';
import type { agents_workspace$data } from './relay/compiled/agents_workspace.graphql.js';

const fileOf = (name: string) => fileURLToPath(new URL(`relay/${name}`, import.meta.url));
const texts: Record<string, string> = JSON.parse(readFileSync(fileOf('documents.json'), 'utf8'));

const fleet = useFleet({ GRAPHQL_TRUSTED_DOCUMENTS: fileOf('documents.json'), GRAPHQL_DOCUMENTS: 'trusted' });
useSilentConsole();

/** An environment, and the names of the documents that it sent. */
function relay() {
  const sent: string[] = [];
  const network = Network.create(
    async ({ id, name }, variables) => {
      sent.push(name);
      const response = await fetch(fleet.url, {
        method: 'POST',
        headers: { ...fleet.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ documentId: id, variables }),
      });
      return response.json();
    },
    ({ id }, variables) =>
      Observable.create<GraphQLResponse>((sink) =>
        createClient({ url: fleet.url, headers: fleet.headers }).subscribe<GraphQLResponse>(
          { query: texts[id ?? ''] ?? '', variables },
          { next: (result) => sink.next(JSON.parse(JSON.stringify(result))), error: () => {}, complete: sink.complete },
        ),
      ),
  );
  return { environment: new Environment({ network, store: new Store(new RecordSource()) }), sent };
}

/** A visible list in the store: its content, and the actions of its app. */
async function showList(environment: Environment) {
  const variables = { name: fleet.workspace };
  environment.retain(createOperationDescriptor(listQuery, variables));
  const refresh = () => fetchQuery<agentsListQuery>(environment, listQuery, variables).toPromise();
  const workspace = (await refresh())?.workspace;
  const fragment = getSingularSelector(workspaceFragment, workspace);
  const read = <Data>(selector: typeof fragment): Data & SelectorData => environment.lookup(selector).data as never;
  const list = () => read<agents_workspace$data>(fragment);
  const agents = () =>
    (list().agents?.edges ?? []).map(({ node }) => read<agents_agent$data>(getSingularSelector(agentFragment, node)));
  const connections = [list().agents?.__id ?? ''];
  return {
    refresh,
    names: () => agents().map(({ metadata: { name, displayName } }) => displayName ?? name),
    id: (index: number) => list().agents?.edges[index]?.node.id ?? '',
    more: async () => {
      const held = environment
        .getStore()
        .getSource()
        .get(connections[0] ?? '');
      const info = environment
        .getStore()
        .getSource()
        .get(String(Object(held?.['pageInfo'])['__ref']));
      if (info?.['hasNextPage'] !== true) return false;
      const next = { id: list().id, first: 3, after: info['endCursor'] };
      await fetchQuery(environment, pageQuery, next).toPromise();
      return true;
    },
    mutate: (mutation: ConcreteRequest, input: object) =>
      new Promise<MutationParameters['response']>((resolve, reject) => {
        const given = { input: { workspace: fleet.workspace, ...input }, connections };
        commitMutation(environment, { mutation, variables: given, onCompleted: resolve, onError: reject });
      }),
  };
}

async function showAll(environment: Environment) {
  const list = await showList(environment);
  expect(list.names()).toEqual(names.slice(0, 3));
  while (await list.more());
  expect(list.names()).toEqual(names);
  return list;
}

describe('Relay', () => {
  it('paginates a list with @connection by the id of its parent, each agent once', async () => {
    const { environment, sent } = relay();
    await showAll(environment);
    expect(sent).toEqual(['agentsListQuery', 'agentsPageQuery', 'agentsPageQuery']);
  });

  it('continues from its position when its list is refetched', async () => {
    const { environment } = relay();
    const list = await showList(environment);
    await list.more();
    await fleet.rename('agent-2', 'Second');
    await list.refresh();
    await expect.poll(list.names).toEqual(names.with(1, 'Second').slice(0, 3));
    while (await list.more());
    expect(list.names()).toEqual(names.with(1, 'Second'));
  });

  it('shows updated, created and deleted agents without a refetch', async () => {
    const { environment, sent } = relay();
    const list = await showAll(environment);
    await list.mutate(renameMutation, { name: 'agent-2', metadata: { displayName: 'Second' } });
    expect(list.names()).toEqual(names.with(1, 'Second'));
    await list.mutate(removeMutation, { name: 'agent-3' });
    const left = names.with(1, 'Second').toSpliced(2, 1);
    expect(list.names()).toEqual(left);
    await list.mutate(createMutation, { metadata: { name: 'agent-8' } });
    expect(list.names()).toEqual([...left, 'agent-8']);
    expect(sent).toHaveLength(6);
  });

  it('reads the error of a mutation as data', async () => {
    const list = await showList(relay().environment);
    const refused = await list.mutate(createMutation, { metadata: { name: 'agent-1' } });
    expect(refused).toMatchObject({ createAgent: { code: 'name_taken' } });
  });

  it('shows a refetched node in its list', async () => {
    const { environment } = relay();
    const list = await showAll(environment);
    await fleet.rename('agent-5', 'Fifth');
    await fetchQuery(environment, oneQuery, { id: list.id(4) }).toPromise();
    expect(list.names()).toEqual(names.with(4, 'Fifth'));
  });

  it('follows changes into its store, and continues after a cursor', async () => {
    const { environment } = relay();
    const list = await showAll(environment);
    let after = await fleet.changeCursor();
    const follow = () =>
      requestSubscription<agentsWatchSubscription>(environment, {
        subscription: watchSubscription,
        variables: { after },
        onNext: (told) => {
          after = told?.changes.cursor ?? after;
        },
      });
    const first = follow();
    await fleet.rename('agent-1', 'First');
    await expect.poll(list.names).toEqual(names.with(0, 'First'));
    first.dispose();
    await fleet.rename('agent-7', 'Seventh');
    const second = follow();
    await expect.poll(list.names).toEqual(names.with(0, 'First').with(6, 'Seventh'));
    second.dispose();
  });
});

describe('The output of the Relay compiler', () => {
  it('matches the present documents', () => {
    const source = readFileSync(fileOf('agents.ts'), 'utf8');
    const written = [...source.matchAll(/graphql`([^`]*)`/g)].map(([, text = '']) => text);
    const hashes = written.map((text) =>
      createHash('md5')
        .update(print(parse(text)))
        .digest('hex'),
    );
    const compiled = [
      listQuery,
      workspaceFragment,
      agentFragment,
      createMutation,
      renameMutation,
      removeMutation,
      watchSubscription,
    ];
    expect(compiled.map((each) => Object(each).hash)).toEqual(hashes);
  });
});
