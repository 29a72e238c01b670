// urql with Graphcache, which knows the schema, as an app uses it: its relayPagination, its cache after mutations, its
// persisted queries, and a watch by its own reading of server-sent events.
import './installed.js';
import { Client, fetchExchange, gql } from '@urql/core';
import type { Exchange, TypedDocumentNode } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { persistedExchange } from '@urql/exchange-persisted';
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

const agentFields = gql`
  fragment Fields on Agent {
    id
    version
    metadata {
      name
      displayName
    }
  }
`;

const page: TypedDocumentNode<Page, { name: string; after?: string }> = gql`
  query Page($name: String!, $after: String) {
    workspace(name: $name) {
      id
      agents(first: 3, after: $after, orderBy: { field: NAME, direction: ASC }) {
        totalCount
        edges {
          cursor
          node {
            ...Fields
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
  ${agentFields}
`;

const createAgent: TypedDocumentNode<object, { input: object }> = gql`
  mutation Create($input: CreateAgentInput!) {
    createAgent(input: $input) {
      ... on CreateAgentPayload {
        agent {
          ...Fields
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
  ${agentFields}
`;

const renameAgent: TypedDocumentNode<object, { input: object }> = gql`
  mutation Rename($input: UpdateAgentInput!) {
    updateAgent(input: $input) {
      ... on UpdateAgentPayload {
        agent {
          ...Fields
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
  ${agentFields}
`;

const deleteAgent: TypedDocumentNode<object, { input: object }> = gql`
  mutation Delete($input: DeleteAgentInput!) {
    deleteAgent(input: $input) {
      ... on DeleteAgentPayload {
        agent {
          id
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

const oneAgent: TypedDocumentNode<{ node: Agent }, { id: string }> = gql`
  query One($id: ID!) {
    node(id: $id) {
      id
      ...Fields
    }
  }
  ${agentFields}
`;

const watch: TypedDocumentNode<{ changes: { cursor: string } }, { after: string }> = gql`
  subscription Watch($after: String) {
    changes(after: $after, filter: { kinds: [AGENT] }) {
      cursor
      node {
        id
        resource {
          id
          ...Fields
        }
      }
    }
  }
  ${agentFields}
`;

const cache = () =>
  cacheExchange({
    schema,
    keys: Object.fromEntries(embeddedTypes.map((name) => [name, () => null])),
    resolvers: { Workspace: { agents: relayPagination() } },
    updates: {
      Mutation: {
        createAgent: (_result, _args, known) => {
          for (const { fieldKey } of known.inspectFields(workspaceKey)) {
            if (fieldKey.startsWith('agents')) known.invalidate(workspaceKey, fieldKey);
          }
        },
        deleteAgent: ({ deleteAgent: result }: { deleteAgent?: { agent?: Agent } }, _args, known) => {
          if (result?.agent !== undefined) known.invalidate({ __typename: 'Agent', id: result.agent.id });
        },
      },
    },
  });

let workspaceKey = '';

function urql(exchanges: Exchange[], fetch = globalThis.fetch): Client {
  return new Client({
    url: fleet.url,
    fetch,
    fetchOptions: () => ({ headers: fleet.headers }),
    preferGetMethod: false,
    fetchSubscriptions: true,
    exchanges: [...exchanges, fetchExchange],
  });
}

/** A visible list: its current content, and how to load its next page. */
function showList(client: Client) {
  let shown: Page['workspace'] | undefined;
  let failure: unknown;
  const show = (after?: string) => {
    const variables = { name: fleet.workspace, ...(after === undefined ? {} : { after }) };
    return client.query(page, variables).subscribe(({ data, error, stale }) => {
      failure ??= error;
      if (!stale) shown = data?.workspace ?? shown;
    });
  };
  const pages = [show()];
  return {
    names: () => {
      expect(failure).toBeUndefined();
      return shown?.agents.edges.map(({ node }) => node.metadata.displayName ?? node.metadata.name);
    },
    workspaceId: () => shown?.id ?? '',
    id: (index: number) => shown?.agents.edges[index]?.node.id ?? '',
    total: () => shown?.agents.totalCount,
    more: () => {
      const { endCursor, hasNextPage } = shown?.agents.pageInfo ?? {};
      if (endCursor !== undefined && hasNextPage === true) pages.push(show(endCursor));
    },
    leave: () => {
      for (const { unsubscribe } of pages) unsubscribe();
    },
  };
}

async function showAll(client: Client) {
  const list = showList(client);
  for (const count of [3, 6, 7]) {
    await expect.poll(list.names).toEqual(names.slice(0, count));
    list.more();
  }
  workspaceKey = `Workspace:${list.workspaceId()}`;
  return list;
}

describe('urql', () => {
  it('paginates a list with relayPagination, each agent once', async () => {
    const { fetch, sent } = recordingFetch();
    const list = await showAll(urql([cache()], fetch));
    expect(sent).toHaveLength(3);
    expect(list.total()).toBe(7);
    list.leave();
  });

  it('shows updated and deleted agents immediately, and refetches for created ones', async () => {
    const { fetch, sent } = recordingFetch();
    const client = urql([cache()], fetch);
    const list = await showAll(client);
    const { workspace } = fleet;
    const input = { workspace, name: 'agent-2', metadata: { displayName: 'Second' } };
    await client.mutation(renameAgent, { input });
    await expect.poll(list.names).toEqual(names.with(1, 'Second'));
    expect(sent).toHaveLength(4);

    await client.mutation(createAgent, { input: { workspace, metadata: { name: 'agent-8' } } });
    await expect.poll(list.names).toEqual([...names.with(1, 'Second'), 'agent-8']);

    await client.mutation(deleteAgent, { input: { workspace, name: 'agent-3' } });
    await expect.poll(list.names).toEqual([...names.with(1, 'Second').toSpliced(2, 1), 'agent-8']);
    list.leave();
  });

  it('shows a refetched node in its list', async () => {
    const client = urql([cache()]);
    const list = await showAll(client);
    await fleet.rename('agent-5', 'Fifth');
    const { data, error } = await client.query(oneAgent, { id: list.id(4) }, { requestPolicy: 'network-only' });
    expect(error).toBeUndefined();
    expect(data?.node).toMatchObject({ version: 2 });
    await expect.poll(list.names).toEqual(names.with(4, 'Fifth'));
    list.leave();
  });

  it.each([false, 'force'] as const)('persists its queries by their hashes, over GET: %j', async (byGet) => {
    const { fetch, sent } = recordingFetch();
    const client = urql([persistedExchange({ preferGetForPersistedQueries: byGet })], fetch);
    // A text that no earlier test has used.
    const query: TypedDocumentNode<{ viewer: { name?: string } }, { yes: boolean }> = gql(
      `query Who${String(byGet)}($yes: Boolean!) { viewer { name @include(if: $yes) } }`,
    );
    for (const yes of [true, false]) {
      const { data, error } = await client.query(query, { yes });
      expect([data?.viewer.name === undefined, error]).toEqual([!yes, undefined]);
    }
    const hashed = { method: byGet === false ? 'POST' : 'GET', hasHash: true, hasText: false };
    expect(sent).toEqual([hashed, { ...hashed, hasText: true }, hashed]);
  });

  it('follows changes into its cache, and continues after a cursor', async () => {
    const client = urql([cache()]);
    const list = await showAll(client);
    let after = await fleet.changeCursor();
    const follow = () =>
      client.subscription(watch, { after }).subscribe(({ data, error }) => {
        expect(error).toBeUndefined();
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
