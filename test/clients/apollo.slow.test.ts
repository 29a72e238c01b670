// Apollo Client as an app uses it: its pagination, its cache after mutations, its persisted queries, and a subscription
// over graphql-sse.
import './installed.js';
import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import type { ApolloCache, PossibleTypesMap, TypedDocumentNode } from '@apollo/client';
import type { Modifier } from '@apollo/client/cache';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { createClient } from 'graphql-sse';
import { print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { embeddedTypes, names, recordingFetch, schema, useFleet, useSilentConsole } from './fleet.js';

const fleet = useFleet();
useSilentConsole();

interface Agent {
  __typename: 'Agent';
  id: string;
  version: number;
  metadata: { name: string; displayName: string | null };
}

interface Page {
  workspace: {
    id: string;
    agents: {
      totalCount: number;
      edges: { node: Agent }[];
      pageInfo: { endCursor: string; hasNextPage: boolean };
    };
  };
}

const page: TypedDocumentNode<Page, { name: string; after?: string }> = gql`
  query Page($name: String!, $after: String) {
    workspace(name: $name) {
      id
      agents(first: 3, after: $after, orderBy: { field: NAME, direction: ASC }) {
        totalCount
        edges {
          cursor
          node {
            id
            version
            metadata {
              name
              displayName
            }
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`;

const error = '... on Error { code message }';

const createAgent: TypedDocumentNode<Created, { input: object }> = gql`
  mutation Create($input: CreateAgentInput!) {
    createAgent(input: $input) { ${error} ... on CreateAgentPayload { agent { id version metadata { name displayName } } } }
  }
`;

const renameAgent: TypedDocumentNode<{ updateAgent: { agent: Agent } }, { input: object }> = gql`
  mutation Rename($input: UpdateAgentInput!) {
    updateAgent(input: $input) { ${error} ... on UpdateAgentPayload { agent { id version metadata { displayName } } } }
  }
`;

const deleteAgent: TypedDocumentNode<Deleted, { input: object }> = gql`
  mutation Delete($input: DeleteAgentInput!) {
    deleteAgent(input: $input) { ${error} ... on DeleteAgentPayload { agent { id } } }
  }
`;

const oneAgent: TypedDocumentNode<{ node: Agent }, { id: string }> = gql`
  query One($id: ID!) {
    node(id: $id) {
      id
      ... on Agent {
        version
        metadata {
          displayName
        }
      }
    }
  }
`;

interface Told {
  changes: { cursor: string; node: { id: string; resource: Agent } };
}

const watch: TypedDocumentNode<Told, { after: string }> = gql`
  subscription Watch($after: String) {
    changes(after: $after, filter: { kinds: [AGENT] }) {
      cursor
      node {
        id
        resource {
          id
          ... on Agent {
            version
            metadata {
              displayName
            }
          }
        }
      }
    }
  }
`;

/** The types of each interface and union. */
const possibleTypes: PossibleTypesMap = Object.fromEntries(
  schema.__schema.types.flatMap((type) =>
    type.kind === 'INTERFACE' || type.kind === 'UNION' ? [[type.name, type.possibleTypes.map(({ name }) => name)]] : [],
  ),
);

/**
 * The configuration of an app: connections are merged, and objects that are not nodes are merged into their parents.
 */
const cache = () =>
  new InMemoryCache({
    possibleTypes,
    typePolicies: {
      ...Object.fromEntries(embeddedTypes.map((name) => [name, { keyFields: false, merge: true }])),
      Workspace: { fields: { agents: relayStylePagination(['orderBy', 'filter', 'search']) } },
    },
  });

function apollo(links: ApolloLink[] = [], fetch = globalThis.fetch) {
  const http = new HttpLink({ uri: fleet.url, headers: fleet.headers, fetch });
  return new ApolloClient({ cache: cache(), link: ApolloLink.from([...links, http]) });
}

/** Subscriptions over graphql-sse, as its documentation has it. */
function watching(): ApolloLink {
  const sse = createClient({ url: fleet.url, headers: fleet.headers });
  return new ApolloLink(
    ({ query, variables }) =>
      new Observable<ApolloLink.Result>((sink) =>
        sse.subscribe(
          { query: print(query), variables },
          {
            next: (result) => sink.next({ data: result.data ?? null }),
            error: (failure) => sink.error(failure),
            complete: () => sink.complete(),
          },
        ),
      ),
  );
}

/** A visible list: its current content, and how to load its next page. */
function showList(client: ApolloClient) {
  const list = client.watchQuery({ query: page, variables: { name: fleet.workspace } });
  let shown: Page['workspace'] | undefined;
  const watched = list.subscribe(({ data, dataState }) => {
    if (dataState === 'complete') shown = data.workspace;
  });
  return {
    names: () => shown?.agents.edges.map(({ node }) => node.metadata.displayName ?? node.metadata.name),
    workspaceId: () => shown?.id ?? '',
    id: (index: number) => shown?.agents.edges[index]?.node.id ?? '',
    total: () => shown?.agents.totalCount,
    more: async () => {
      const { endCursor, hasNextPage } = shown?.agents.pageInfo ?? {};
      if (endCursor !== undefined && hasNextPage === true) await list.fetchMore({ variables: { after: endCursor } });
    },
    leave: () => watched.unsubscribe(),
  };
}

async function showAll(client: ApolloClient) {
  const list = showList(client);
  for (const count of [3, 6, 7]) {
    await expect.poll(list.names).toEqual(names.slice(0, count));
    await list.more();
  }
  return list;
}

describe('Apollo', () => {
  it('paginates a list with relayStylePagination, each agent once', async () => {
    const { fetch, sent } = recordingFetch();
    const list = await showAll(apollo([], fetch));
    expect(sent).toHaveLength(3);
    expect(list.total()).toBe(7);
    list.leave();
  });

  it('shows updated, created and deleted agents without a refetch', async () => {
    const { fetch, sent } = recordingFetch();
    const client = apollo([], fetch);
    const list = await showAll(client);
    const { workspace } = fleet;
    const input = { workspace, name: 'agent-2', metadata: { displayName: 'Second' } };
    await client.mutate({ mutation: renameAgent, variables: { input } });
    await expect.poll(list.names).toEqual(names.with(1, 'Second'));

    await client.mutate({
      mutation: deleteAgent,
      variables: { input: { workspace, name: 'agent-3' } },
      update: forget,
    });
    const left = names.with(1, 'Second').toSpliced(2, 1);
    await expect.poll(list.names).toEqual(left);

    const made = { workspace, metadata: { name: 'agent-8' } };
    await client.mutate({ mutation: createAgent, variables: { input: made }, update: append(list.workspaceId()) });
    await expect.poll(list.names).toEqual([...left, 'agent-8']);
    expect(sent).toHaveLength(6);
    list.leave();
  });

  it('shows a refetched node in its list', async () => {
    const client = apollo();
    const list = await showAll(client);
    await fleet.rename('agent-5', 'Fifth');
    const variables = { id: list.id(4) };
    const { data } = await client.query({ query: oneAgent, variables, fetchPolicy: 'network-only' });
    expect(data?.node).toMatchObject({ __typename: 'Agent', version: 2 });
    await expect.poll(list.names).toEqual(names.with(4, 'Fifth'));
    list.leave();
  });

  it.each([false, true])('persists its queries by their hashes, over GET: %j', async (useGETForHashedQueries) => {
    const { fetch, sent } = recordingFetch();
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    // A text that no earlier test has used.
    const query: TypedDocumentNode<{ viewer: { name: string } }, { yes: boolean }> = gql(
      `query Who${String(useGETForHashedQueries)}($yes: Boolean!) { viewer { name @include(if: $yes) } }`,
    );
    const client = apollo([new PersistedQueryLink({ sha256, useGETForHashedQueries })], fetch);
    for (const yes of [true, false]) await client.query({ query, variables: { yes }, fetchPolicy: 'network-only' });
    const method = useGETForHashedQueries ? 'GET' : 'POST';
    const hashed = { method, hasHash: true, hasText: false };
    expect(sent).toEqual([hashed, { method: 'POST', hasHash: true, hasText: true }, hashed]);
  });

  it('follows changes over graphql-sse into its cache, and continues after a cursor', async () => {
    const client = apollo([ApolloLink.split(({ operationType }) => operationType === 'subscription', watching())]);
    const list = await showAll(client);
    let after = await fleet.changeCursor();
    const follow = () =>
      client.subscribe({ query: watch, variables: { after } }).subscribe(({ data }) => {
        if (data !== undefined) after = data.changes.cursor;
      });
    const first = follow();
    await fleet.rename('agent-1', 'First');
    await expect.poll(list.names).toEqual(names.with(0, 'First'));
    first.unsubscribe();
    await fleet.rename('agent-7', 'Seventh');
    const second = follow();
    await expect.poll(list.names).toEqual(names.with(0, 'First').with(6, 'Seventh'));
    second.unsubscribe();
    list.leave();
  });
});

interface Deleted {
  deleteAgent: { agent: Agent };
}

/** Evicts deleted objects from the cache; lists omit them automatically. */
function forget(known: ApolloCache, { data }: { data?: Deleted | null }): void {
  const id = known.identify({ __typename: 'Agent', id: data?.deleteAgent.agent.id });
  if (id !== undefined) known.evict({ id });
}

interface Created {
  createAgent: { agent: Agent };
}

/** Appends created objects to the lists of a workspace. */
function append(workspaceId: string) {
  return (known: ApolloCache, { data }: { data?: Created | null }): void => {
    const id = known.identify({ __typename: 'Workspace', id: workspaceId });
    if (id === undefined || data == null) return;
    const node = { __ref: known.identify({ __typename: 'Agent', id: data.createAgent.agent.id }) };
    const edge = { __typename: 'AgentEdge', cursor: '', node };
    const agents: Modifier<unknown> = (list) => {
      const { edges }: { edges: object[] } = JSON.parse(JSON.stringify(list));
      return { ...Object(list), edges: [...edges, edge] };
    };
    known.modify({ id, fields: { agents } });
  };
}
