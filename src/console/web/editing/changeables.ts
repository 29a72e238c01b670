// What can be made, changed and deleted, by the name of its GraphQL type: the mutations and their inputs have it in theirs.
export const changeables = {
  Agent: 'agent',
  Sandbox: 'sandbox',
  Job: 'job',
  Volume: 'volume',
  Vpc: 'network',
  SandboxPreview: 'preview',
  EgressGateway: 'egress gateway',
  EgressIp: 'egress IP',
  Workspace: 'workspace',
} as const;

export type Changeable = keyof typeof changeables;
