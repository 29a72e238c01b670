import { z } from 'zod';
import type { Appending } from '../../changes/change-rows.js';
import type { Encryption } from '../../encryption.js';
import {
  insertRows,
  namedInput,
  namedRow,
  newResourceRow,
  newRow,
  resourceInput,
} from '../../store/write/resource-input.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import { previewSpec } from './preview.js';
import { sandboxSpec } from './sandbox.js';

export const sandboxInput = resourceInput.extend({ spec: sandboxSpec });

export type SandboxInput = z.input<typeof sandboxInput>;

/** Inserts sandboxes of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertSandboxes(
  db: Appending,
  encryption: Encryption,
  workspaceId: string,
  inputs: SandboxInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { spec, ...checked } = sandboxInput.parse(input);
    return newResourceRow(workspaceId, checked, withSecrets(spec, encryption.ofRow('sandbox', checked.id).encrypt));
  });
  await insertRows(db, 'sandbox', rows);
}

export const previewInput = namedInput.extend({ sandboxId: z.uuid(), spec: previewSpec });

export type PreviewInput = z.input<typeof previewInput>;

/** Inserts previews of sandboxes of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertPreviews(
  db: Appending,
  encryption: Encryption,
  workspaceId: string,
  inputs: PreviewInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { sandboxId, spec, metadata, ...checked } = previewInput.parse(input);
    const stored = withSecrets(spec, encryption.ofRow('sandbox_preview', checked.id).encrypt);
    return newRow(workspaceId, checked, { ...namedRow(metadata), sandbox_id: sandboxId, spec: stored });
  });
  await insertRows(db, 'sandbox_preview', rows);
}
