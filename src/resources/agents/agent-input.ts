import type { z } from 'zod';
import type { Appending } from '../../changes/change-rows.js';
import type { Encryption } from '../../encryption.js';
import { insertRows, newResourceRow, resourceInput } from '../../store/write/resource-input.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import { agentSpec, withIds } from './checked-agent-spec.js';

export const agentInput = resourceInput.extend({ spec: agentSpec });

export type AgentInput = z.input<typeof agentInput>;

/**
 * Inserts agents of one workspace with their events, all or none.
 *
 * @param encryption encrypts the callbackSecret of each trigger, and the values of secret variables.
 * @throws {z.ZodError} when one of them breaks a rule of the specification.
 */
export async function insertAgents(
  db: Appending,
  encryption: Encryption,
  workspaceId: string,
  inputs: AgentInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { spec, ...checked } = agentInput.parse(input);
    const { encrypt } = encryption.ofRow('agent', checked.id);
    const triggers = spec.triggers && withIds(spec.triggers);
    return newResourceRow(workspaceId, checked, withSecrets({ ...spec, triggers }, encrypt));
  });
  await insertRows(db, 'agent', rows);
}
