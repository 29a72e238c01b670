import type { z } from 'zod';
import type { Appending } from '../../changes/change-rows.js';
import type { RowEncryption, Encryption } from '../../encryption.js';
import { insertRows, newResourceRow, resourceInput } from '../../store/write/resource-input.js';
import { encryptedRuntime, secretPurposes } from '../../store/write/encrypted-spec.js';
import { encryptCallbackSecret } from './agent-row.js';
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
    const checked = agentInput.parse(input);
    return newResourceRow(workspaceId, checked, encryptedSpec(encryption.ofRow('agent', checked.id), checked.spec));
  });
  await insertRows(db, 'agent', rows);
}

function encryptedSpec(encryption: RowEncryption, { runtime, triggers, ...spec }: z.output<typeof agentSpec>) {
  return {
    ...spec,
    runtime: runtime && encryptedRuntime(encryption, runtime),
    triggers:
      triggers &&
      withIds(triggers).map(({ configuration, ...trigger }) => ({
        ...trigger,
        configuration: configuration && {
          ...configuration,
          callbackSecret:
            configuration.callbackSecret && encryptCallbackSecret(encryption, configuration.callbackSecret),
          callbackUrl:
            configuration.callbackUrl && encryption.encrypt(secretPurposes.callbackUrl, configuration.callbackUrl),
        },
      })),
  };
}
