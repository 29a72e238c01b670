import { Prisma } from '../../database/client/client.js';
import { specifiedInput } from '../specified-changes.js';
import type { SpecifiedKind } from '../specified-changes.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { specifiedColumnsOf } from '../../store/write/row-columns.js';
import { maskedSpec } from '../../schema/runtime.js';
import { keptSpec } from '../../store/write/kept-secrets.js';
import { deleteDependents } from '../../store/write/rows.js';
import { workloadPrecondition } from '../../store/write/workload-precondition.js';
import { movePreviews, writablePreviews } from './preview-changes.js';
import { sandboxKind, sandboxSpec } from './sandbox.js';
import type { SandboxSpec } from './sandbox.js';

/**
 * A deleted sandbox is deleted with its previews. Those without a region of their own move along to another region.
 */
export const writableSandboxes: SpecifiedKind<SandboxSpec> = {
  kind: sandboxKind,
  scopes: { create: 'sandboxes:create', update: 'sandboxes:update', delete: 'sandboxes:delete' },
  input: specifiedInput(sandboxSpec),
  columnsOf: specifiedColumnsOf,
  shown: (sandbox) => resourceFromRow(sandbox, maskedSpec(sandbox.row.spec)),
  secrets: { table: 'sandbox', stored: keptSpec, masked: maskedSpec },
  deleteDependents: (within, sandbox) =>
    deleteDependents(within, writablePreviews, sandbox, Prisma.sql`r."sandbox_id" = ${sandbox.id}::uuid`),
  moveDependents: movePreviews,
  preconditionOf: workloadPrecondition,
};
