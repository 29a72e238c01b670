// The texts of the queries about agents that GraphiQL opens with.

export const newestAgents = `# The newest agents of a workspace, and how many it
# has. The workspace is named under "Variables".
query NewestAgents($workspace: String, $first: Int) {
  agents(workspace: $workspace, first: $first, sort: CREATED_AT_DESC) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    edges {
      cursor
      node {
        id
        status
        metadata {
          name
          displayName
          createdAt
          labels {
            key
            value
          }
        }
        spec {
          region
          runtime {
            generation
            memory
          }
        }
      }
    }
  }
}
`;

export const searchAgents = `# Agents with a text in their name, display name or
# labels, sorted by name.
#
# For the second page, run it, copy the endCursor of
# the answer into "after" under "Variables", and run
# it again. To go back, give "before" and "last".
query SearchAgents(
  $workspace: String
  $search: String
  $first: Int
  $after: String
  $last: Int
  $before: String
) {
  agents(
    workspace: $workspace
    search: $search
    sort: NAME_ASC
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
      hasPreviousPage
      startCursor
    }
    edges {
      node {
        status
        metadata {
          name
          displayName
          labels {
            key
            value
          }
        }
      }
    }
  }
}
`;

export const oneAgent = `# Everything about one agent, and what happened to
# it. Its id is good for node(id: "…") as well.
query OneAgent($workspace: String, $name: String!) {
  agent(workspace: $workspace, name: $name) {
    id
    status
    metadata {
      name
      displayName
      workspace
      plan
      url
      externalId
      labels {
        key
        value
      }
      createdAt
      createdBy
      updatedAt
      updatedBy
    }
    spec {
      enabled
      public
      region
      policies
      runtime {
        generation
        image
        memory
        minScale
        maxScale
        envs {
          name
          value
          secret
        }
      }
      repository {
        type
        url
      }
      revision {
        active
        canary
        canaryPercent
        traffic
        stickySessionTtl
      }
      triggers {
        id
        type
        enabled
        configuration {
          path
          schedule
          authenticationType
        }
      }
      volumes {
        name
        type
        mountPath
        readOnly
      }
    }
    events {
      time
      type
      status
      message
      revision
    }
  }
}
`;
