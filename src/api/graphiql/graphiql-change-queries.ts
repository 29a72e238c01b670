// The texts of the operations that make, change and delete, which GraphiQL opens with.

const refusals = `    ... on Error {
      code
      message
    }
    ... on InvalidInputError {
      problems {
        path
        code
        message
      }
    }
    ... on ConflictError {
      details
    }`;

export const agentChanges = `# An agent made, changed and deleted. The arrow lets
# you choose: TryOut looks, DryRun says what would be
# and changes nothing, then Create, Change, Delete.
#
# Change asks for the version under "Variables": run it
# twice, and the second time somebody was faster.
# What is wrong with an input comes all at once: give
# the agent a region that there is not.
query TryOut($workspace: String, $agent: String!) {
  agent(workspace: $workspace, name: $agent) {
    version
    status
    metadata {
      displayName
      updatedBy
    }
    spec {
      runtime {
        memory
      }
    }
    events {
      time
      message
    }
  }
}

mutation DryRun(
  $workspace: String
  $agent: String!
  $spec: AgentSpecInput
) {
  createAgent(
    input: {
      workspace: $workspace
      metadata: { name: $agent }
      spec: $spec
      validateOnly: true
    }
  ) {
    ... on CreateAgentPayload {
      agent {
        metadata {
          url
        }
        spec {
          enabled
          region
        }
      }
    }
${refusals}
  }
}

mutation Create(
  $workspace: String
  $agent: String!
  $spec: AgentSpecInput
) {
  createAgent(
    input: {
      workspace: $workspace
      metadata: {
        name: $agent
        labels: [{ key: "team", value: "graphiql" }]
      }
      spec: $spec
    }
  ) {
    ... on CreateAgentPayload {
      agent {
        id
        version
        status
      }
    }
${refusals}
  }
}

mutation Change(
  $workspace: String
  $agent: String!
  $ifVersion: Int
) {
  updateAgent(
    input: {
      workspace: $workspace
      name: $agent
      ifVersion: $ifVersion
      metadata: { displayName: "Tried out" }
      spec: { runtime: { memory: 4096 } }
    }
  ) {
    ... on UpdateAgentPayload {
      agent {
        version
        spec {
          runtime {
            generation
            memory
          }
        }
      }
    }
${refusals}
  }
}

mutation Delete($workspace: String, $agent: String!) {
  deleteAgent(input: { workspace: $workspace, name: $agent }) {
    ... on DeleteAgentPayload {
      agent {
        version
        events {
          message
        }
      }
    }
${refusals}
  }
}
`;

export const jobRun = `# A job and its executions. RunJob makes one more, with
# two tasks; put its id under "Variables" to cancel it.
query Executions($workspace: String, $job: String!) {
  job(workspace: $workspace, name: $job) {
    metadata {
      displayName
    }
    executions(first: 5) {
      totalCount
      nodes {
        metadata {
          id
          createdAt
        }
        status
        stats {
          total
          success
        }
      }
    }
  }
}

mutation RunJob($workspace: String, $job: String!) {
  runJob(
    input: {
      workspace: $workspace
      jobName: $job
      tasks: [{ name: "first" }, { name: "second" }]
    }
  ) {
    ... on RunJobPayload {
      jobExecution {
        metadata {
          id
        }
        status
        tasks {
          metadata {
            name
          }
        }
      }
    }
${refusals}
  }
}

mutation Cancel(
  $workspace: String
  $job: String!
  $execution: String!
) {
  cancelJobExecution(
    input: {
      workspace: $workspace
      jobName: $job
      executionId: $execution
    }
  ) {
    ... on CancelJobExecutionPayload {
      jobExecution {
        status
      }
    }
${refusals}
  }
}
`;
