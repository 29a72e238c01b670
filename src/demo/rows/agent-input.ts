import type { z } from 'zod';
import { insertionOf, resourceInput } from './insert-rows.js';
import { agentSpec, withIds } from '../../resources/agents/checked-agent-spec.js';

export const agentInput = resourceInput.extend({ spec: agentSpec });

export type AgentInput = z.input<typeof agentInput>;

export const insertAgents = insertionOf(
  'agent',
  agentInput.transform(({ spec, ...agent }) => ({
    ...agent,
    spec: { ...spec, triggers: spec.triggers && withIds(spec.triggers) },
  })),
);
