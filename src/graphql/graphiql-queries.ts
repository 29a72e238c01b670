// The texts of the queries that GraphiQL opens with.

export const whoAmI = `# Who am I, and where may I look?
#
# Ctrl-Enter runs a query, Ctrl-Space completes a
# word, and the top icon on the left opens the
# documentation. Other tabs have more examples.
#
# Sign in above, or put an API key under "Headers".
# After a change press the round arrow on the left:
# it reads the schema again.
query WhoAmI {
  viewer {
    name
    kind
    credential
    scopes
    accounts {
      name
      displayName
      plan
      viewerRole
    }
    workspaces {
      name
      displayName
      viewerRole
    }
  }
}
`;

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

export const dashboard = `# The whole dashboard in one round trip. How many SQL
# statements it takes follows from its shape alone.
query Dashboard($rows: Int, $few: Int) {
  workspaces(first: $rows, sort: NAME_ASC) {
    nodes {
      name
      agents(first: $rows) {
        totalCount
        nodes {
          metadata {
            name
          }
          status
        }
      }
      sandboxes(first: $rows) {
        nodes {
          metadata {
            name
          }
          previews(first: $few) {
            nodes {
              spec {
                url
                public
              }
            }
          }
        }
      }
      jobs(first: $rows) {
        nodes {
          metadata {
            name
          }
          executions(first: $few) {
            nodes {
              status
              stats {
                total
                failure
              }
              tasks {
                conditions {
                  reason
                  message
                }
              }
            }
          }
        }
      }
      images(first: $few) {
        nodes {
          metadata {
            name
          }
          spec {
            size
            tags(first: $few) {
              nodes {
                name
              }
            }
          }
        }
      }
      volumes(first: $few) {
        nodes {
          metadata {
            name
          }
          spec {
            sizeMb
          }
        }
      }
      vpcs(first: $few) {
        nodes {
          metadata {
            name
          }
          egressGateways(first: $few) {
            nodes {
              ips(first: $few) {
                nodes {
                  spec {
                    publicIp
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
`;

export const imageShares = `# Images that others offer. To decline one, put its
# id into the variables and run the second operation.
query PendingShares($workspace: String) {
  pendingImageShares(workspace: $workspace) {
    totalCount
    nodes {
      id
      metadata {
        sourceAccount
        sourceWorkspace
        createdAt
      }
      spec {
        resourceType
        imageName
      }
    }
  }
}

mutation Decline($share: ID!) {
  declineImageShare(input: { id: $share }) {
    ... on DeclineImageSharePayload {
      imageShare {
        status
        events {
          time
          message
        }
      }
    }
    ... on Error {
      code
      message
      path
    }
  }
}
`;

export const regionList = `# Where workloads can run.
query Regions {
  configuration {
    detectedRegion
    regions {
      name
      allowed
      country
      location
      egressAvailable
      drivesAvailable
    }
    privateLocations {
      name
    }
  }
}
`;
