// The texts of the queries that dashboards ask, which GraphiQL opens with.

export const filteredAgents = `# Agents that a filter lets through, and how many they
# are. What a filter names must all be so; "or", "and"
# and "not" combine it. Under "Variables": agents in one
# of two states, with one of two labels.
query FilteredAgents(
  $workspace: String
  $filter: AgentFilter
  $first: Int
) {
  agents(
    workspace: $workspace
    filter: $filter
    sort: UPDATED_AT_DESC
    first: $first
  ) {
    totalCount
    filteredCount
    nodes {
      status
      metadata {
        name
        updatedAt
        labels {
          key
          value
        }
      }
      spec {
        region
      }
    }
  }
  unattached: volumes(
    workspace: $workspace
    filter: { attached: false }
    first: $first
  ) {
    filteredCount
    nodes {
      metadata {
        name
      }
      spec {
        sizeMb
      }
    }
  }
}
`;

export const countedWorkspaces = `# How many there are of each state, region and team, in
# all workspaces: exact, however many they are.
query CountedWorkspaces($label: String!) {
  workspaces(sort: NAME_ASC) {
    nodes {
      name
      agentCounts(by: STATUS) {
        value
        count
      }
      failedByTeam: agentCounts(
        by: LABEL
        label: $label
        filter: { status: [FAILED] }
      ) {
        value
        count
      }
      sandboxCounts(by: REGION) {
        value
        count
      }
      volumeCounts(by: STATUS) {
        value
        count
      }
    }
  }
}
`;

export const workspaceOverview = `# How a workspace is doing: what it has in which state,
# what failed within a day, what was changed last, and
# what its month costs, now and by its end.
query Overview($workspace: String!) {
  workspace(name: $workspace) {
    overview {
      kinds {
        kind
        total
        states {
          value
          count
        }
      }
      failures {
        count
        newest {
          kind
          name
          time
        }
      }
      cost {
        soFar
        projected
      }
    }
    changes(last: 10) {
      nodes {
        time
        verb
        kind
        name
        actor {
          name
        }
      }
    }
  }
}
`;

export const costBesideAgents = `# The newest agents, and beside each what it cost by
# the days of a time zone: one statement more.
query CostBesideAgents(
  $workspace: String
  $first: Int
  $start: DateTime!
  $end: DateTime!
  $timeZone: String
) {
  agents(workspace: $workspace, first: $first) {
    nodes {
      metadata {
        name
      }
      status
      cost(
        startTime: $start
        endTime: $end
        resolution: DAILY
        timeZone: $timeZone
      ) {
        total
        timeseries {
          timestamp
          cost
        }
      }
    }
  }
}
`;

export const dearestAgents = `# Agents in the order of what they cost, dearest first,
# page by page: put the endCursor of an answer into
# "after". A filter and a search narrow it.
query DearestAgents(
  $workspace: String
  $first: Int
  $after: String
  $search: String
  $start: DateTime!
  $end: DateTime!
) {
  agents(
    workspace: $workspace
    search: $search
    orderBy: { cost: { startTime: $start, endTime: $end } }
    first: $first
    after: $after
  ) {
    filteredCount
    nodes {
      metadata {
        name
      }
      cost(startTime: $start, endTime: $end) {
        total
      }
    }
    pageInfo {
      endCursor
      hasNextPage
    }
  }
}
`;
