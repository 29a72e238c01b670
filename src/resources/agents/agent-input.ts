// How an agent comes in: checked by the specification's rules once, then kept as a row.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { Seal } from '../../seal.js';
import { displayName, externalId, labels, resourceName, searchDocument, statuses } from '../resource.js';
import type { Status } from '../resource.js';
import { sealCallbackSecret } from './agent-row.js';
import { agentSpec } from './agent-spec.js';

const status = z.enum(Object.keys(statuses).filter((word): word is Status => word in statuses));

const event = z.object({
  time: z.iso.datetime(),
  type: z.string().optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  revision: z.string().optional(),
  canaryRevision: z.string().optional(),
});

/** An agent with what the platform itself knows of it: when, by whom, its status and its events. */
export const agentInput = z.object({
  /** Given where an agent must keep its identity; made up otherwise. */
  id: z.uuid().optional(),
  metadata: z.object({
    name: resourceName,
    displayName: displayName.optional(),
    externalId: externalId.optional(),
    labels: labels.optional(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    createdBy: z.string().optional(),
    updatedBy: z.string().optional(),
  }),
  spec: agentSpec,
  status: status.optional(),
  events: z.array(event).default([]),
});

export type AgentInput = z.input<typeof agentInput>;

/**
 * Inserts agents of one workspace with their events, all or none.
 *
 * @param seal seals the callbackSecret of each trigger, and the values of secret variables.
 * @throws {z.ZodError} when one of them breaks a rule of the specification.
 */
export async function insertAgents(
  db: Pick<Database, '$executeRaw'>,
  seal: Seal,
  workspaceId: string,
  inputs: AgentInput[],
): Promise<void> {
  const rows = inputs.map((input) => rowsFromAgentInput(seal, workspaceId, input));
  // An order of magnitude faster than createMany for batches of this kind. One statement is atomic by
  // itself, so it works inside a transaction of the caller as well.
  await db.$executeRaw(Prisma.sql`
    WITH "inserted" AS (
      INSERT INTO "agent" ("id", "workspace_id", "name", "display_name", "external_id", "labels", "created_at",
        "updated_at", "created_by", "updated_by", "status", "spec", "search")
      SELECT "id", "workspace_id", "name", "display_name", "external_id", "labels", "created_at",
        "updated_at", "created_by", "updated_by", "status", "spec", "search"
      FROM json_populate_recordset(NULL::"agent", ${JSON.stringify(rows.map(({ agent }) => agent))}::json)
    )
    INSERT INTO "core_event"
    SELECT * FROM json_populate_recordset(NULL::"core_event", ${JSON.stringify(rows.flatMap(({ events }) => events))}::json)`);
}

function rowsFromAgentInput(seal: Seal, workspaceId: string, input: AgentInput) {
  const { id = randomUUID(), metadata, spec, status: state, events } = agentInput.parse(input);
  const triggers = spec.triggers?.map(({ configuration, ...trigger }) => ({
    ...trigger,
    configuration: configuration && {
      ...configuration,
      callbackSecret: configuration.callbackSecret && sealCallbackSecret(seal, configuration.callbackSecret),
    },
  }));
  const envs = spec.runtime?.envs?.map(({ value, ...env }) => ({
    ...env,
    value: env.secret && value !== undefined ? seal.seal('secret variable', value) : value,
  }));
  return {
    agent: {
      id,
      workspace_id: workspaceId,
      name: metadata.name,
      display_name: metadata.displayName,
      external_id: metadata.externalId,
      labels: metadata.labels,
      created_at: metadata.createdAt,
      updated_at: metadata.updatedAt,
      created_by: metadata.createdBy,
      updated_by: metadata.updatedBy,
      status: state,
      spec: {
        ...spec,
        runtime: spec.runtime && { ...spec.runtime, envs },
        triggers,
      },
      search: searchDocument(metadata),
    },
    events: events.map(({ canaryRevision, ...rest }) => ({
      ...rest,
      id: randomUUID(),
      resource_id: id,
      canary_revision: canaryRevision,
    })),
  };
}
