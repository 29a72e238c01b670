// The documents of an app with Relay. Only relay-compiler reads this file; its output in `compiled/` and
// `documents.json` is what the test runs. After a change, in this folder: rm compiled/* && echo "{}" > documents.json
// && npx relay-compiler@21.0.1 relay.config.json
import { graphql } from 'relay-runtime';

/** A workspace with the first page of its agents. */
export const list = graphql`
  query agentsListQuery($name: String!) {
    workspace(name: $name) {
      id
      ...agents_workspace
    }
  }
`;

/** The list, whose further pages Relay requests by the id of its workspace. */
export const pages = graphql`
  fragment agents_workspace on Workspace
  @argumentDefinitions(first: { type: "Int", defaultValue: 3 }, after: { type: "String" })
  @refetchable(queryName: "agentsPageQuery") {
    agents(first: $first, after: $after, orderBy: { field: NAME, direction: ASC })
      @connection(key: "agents_workspace_agents") {
      __id
      totalCount
      edges {
        node {
          id
          ...agents_agent
        }
      }
    }
  }
`;

/** One agent, which Relay asks for again by its id. */
export const one = graphql`
  fragment agents_agent on Agent @refetchable(queryName: "agentsOneQuery") {
    version
    metadata {
      name
      displayName
    }
  }
`;

export const create = graphql`
  mutation agentsCreateMutation($input: CreateAgentInput!, $connections: [ID!]!) {
    createAgent(input: $input) {
      ... on CreateAgentPayload {
        agent @appendNode(connections: $connections, edgeTypeName: "AgentEdge") {
          id
          ...agents_agent
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

export const rename = graphql`
  mutation agentsRenameMutation($input: UpdateAgentInput!) {
    updateAgent(input: $input) {
      ... on UpdateAgentPayload {
        agent {
          id
          ...agents_agent
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

export const remove = graphql`
  mutation agentsRemoveMutation($input: DeleteAgentInput!, $connections: [ID!]!) {
    deleteAgent(input: $input) {
      ... on DeleteAgentPayload {
        agent {
          id @deleteEdge(connections: $connections)
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

/** Each change of an agent, with the agent as it is then. */
export const watch = graphql`
  subscription agentsWatchSubscription($after: String) {
    changes(after: $after, filter: { kinds: [AGENT] }) {
      cursor
      node {
        id
        action
        resource {
          id
          ... on Agent {
            version
            metadata {
              name
              displayName
            }
          }
        }
      }
    }
  }
`;
