// The texts of the operations that follow changes, which GraphiQL opens with.

export const followChanges = `# What was changed, and by whom: Feed reads pages of
# the history, Watch shows each change as it happens,
# until you press the button again.
#
# To miss nothing, run Feed until hasNextPage is false,
# put its endCursor into "after" under "Variables", and
# run Watch. Then change something in another tab.
query Feed(
  $after: String
  $first: Int
  $filter: ChangeFilter
) {
  changes(after: $after, first: $first, filter: $filter) {
    totalCount
    filteredCount
    pageInfo {
      endCursor
      hasNextPage
    }
    nodes {
      time
      verb
      kind
      name
      workspace
      version
      fields
      message
      actor {
        kind
        name
      }
      client
      requestId
    }
  }
}

subscription Watch($after: String, $filter: ChangeFilter) {
  changes(after: $after, filter: $filter) {
    cursor
    node {
      time
      verb
      kind
      name
      workspace
      fields
      message
      actor {
        name
      }
      after
    }
  }
}
`;
