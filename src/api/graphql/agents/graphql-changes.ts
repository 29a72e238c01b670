import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { metadata } from '../../../schema/resource.js';
import { createAgent, deleteAgent, updateAgent } from '../../../resources/agents/agent-changes.js';
import type { AgentRow } from '../../../resources/agents/agent-row.js';
import { agentSpecAnswer } from '../../../resources/agents/agent-spec.js';
import { AgentType } from './graphql.js';

interface AgentPayload {
  agent: Found<AgentRow>;
}

const CreateResult = resultType<AgentPayload>('CreateAgent', 'What createAgent made', (t) => ({
  agent: t.expose('agent', { type: AgentType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateAgentInput', {
  description: 'The agent to make.',
  fields: (t) => ({
    ...changeArguments(t),
    metadata: t.field({ type: inputType(metadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(agentSpecAnswer), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createAgent', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes an agent. Needs the scope agents:create.',
    extensions: keepsAnswer('agent'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The agent.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ agent: await createAgent(ctx, input) })),
  }),
);

const UpdateResult = resultType<AgentPayload>('UpdateAgent', 'What updateAgent changed', (t) => ({
  agent: t.expose('agent', { type: AgentType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateAgentInput', {
  description: 'Which agent to change, and what of it. What is absent stays, null removes, lists are replaced whole.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the agent.' }),
    metadata: t.field({ type: updateInputType(metadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(agentSpecAnswer), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateAgent', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes an agent. Needs the scope agents:update.',
    extensions: keepsAnswer('agent'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ agent: await updateAgent(ctx, input) })),
  }),
);

const DeleteResult = resultType<AgentPayload>('DeleteAgent', 'What deleteAgent removed', (t) => ({
  agent: t.expose('agent', { type: AgentType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteAgentInput', {
  description: 'Which agent to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the agent.' }),
  }),
});

builder.mutationField('deleteAgent', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes an agent. Needs the scope agents:delete.',
    extensions: keepsAnswer('agent'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ agent: await deleteAgent(ctx, input) })),
  }),
);
