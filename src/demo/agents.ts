import type { Document } from '../manifests/document.js';
import { agentInput } from './rows/agent-input.js';
import type { AgentInput } from './rows/agent-input.js';
import { mainWorkspace, regionsOf } from './company.js';
import { documentsOf } from './documents.js';
import { eventsOf } from './events.js';
import { callbackSecretOf, fleetAgent } from './fleet.js';
import type { AgentPlace } from './fleet.js';
import { createRandom, idOf } from './random.js';
import { statusOf } from './status.js';
import { madeBy } from './actors.js';
import { scaledAgent, scaledAt } from './story.js';
import { livedAs, livedInFleet } from './times.js';

/**
 * The agents of one workspace: those of its documents, and then as many others as requested. They are generated one by
 * one, so that a million of them need little memory. The same arguments return the same agents.
 *
 * @param end the newest agent is a little older.
 */
export function* demoAgents(workspace: string, count: number, end: Date): Generator<AgentInput> {
  const documents = documentsOf('Agent', workspace);
  const regions = regionsOf(workspace);
  for (let index = 0; index < count; index++) {
    const position = { workspace, index, count, end };
    const document = documents[index];
    yield document === undefined ? fleetAgent(position, regions) : demoAgent(position, document);
  }
}

/** An agent that was created some time ago. */
function demoAgent(position: AgentPlace, { name, metadata, spec: wanted }: Document): AgentInput {
  const { workspace, index, end } = position;
  const random = createRandom(`${workspace} ${index}`);
  const inFleet = livedInFleet(random, position);
  const status = statusOf(index, wanted['enabled'] !== false, random);
  const isScaled = workspace === mainWorkspace && name === scaledAgent.name;
  const lived = isScaled ? { ...inFleet, updatedAt: scaledAt(end) } : livedAs(status, inFleet, random, end);
  const made = madeBy(random, workspace, lived, status);
  const metadataWithTimes = { ...metadata, ...made, ...(isScaled ? { updatedBy: scaledAgent.by } : {}) };
  const checked = agentInput.parse({
    id: idOf(`${workspace}/agents/${name}`),
    metadata: metadataWithTimes,
    spec: wanted,
    status,
  });
  const { spec } = checked;
  const { active = 'r1', canary } = spec.revision ?? {};
  return {
    ...checked,
    spec: { ...spec, ...(spec.triggers && { triggers: spec.triggers.map((trigger) => withSecret(trigger, name)) }) },
    events: eventsOf(status, lived.createdAt, lived.updatedAt, active, canary),
  };
}

type Trigger = NonNullable<AgentInput['spec']['triggers']>[number];

/** No document contains the secret of a callback, because the service generates it. */
function withSecret(trigger: Trigger, name: string): Trigger {
  if (trigger.type !== 'http-async') return trigger;
  return { ...trigger, configuration: { ...trigger.configuration, callbackSecret: callbackSecretOf(name) } };
}
