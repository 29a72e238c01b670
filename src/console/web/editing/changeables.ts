// The types with create, update and delete mutations, by the GraphQL type in the names of the mutations and inputs.
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
