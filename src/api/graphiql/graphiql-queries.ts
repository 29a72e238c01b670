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
