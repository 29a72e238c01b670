import { z } from 'zod';
import { insertionOf, namedInput, resourceInput } from './insert-rows.js';
import { previewSpec } from '../../resources/sandboxes/preview.js';
import { sandboxSpec } from '../../resources/sandboxes/sandbox.js';

export const sandboxInput = resourceInput.extend({ spec: sandboxSpec });

export type SandboxInput = z.input<typeof sandboxInput>;

export const insertSandboxes = insertionOf('sandbox', sandboxInput);

export const previewInput = namedInput.extend({ sandboxId: z.uuid(), spec: previewSpec });

export type PreviewInput = z.input<typeof previewInput>;

export const insertPreviews = insertionOf('sandbox_preview', previewInput, ({ sandboxId }) => ({
  sandbox_id: sandboxId,
}));
