import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { maskedSpec } from '../../../schema/runtime.js';
import { sandboxKind, sandboxSpec } from '../../../resources/sandboxes/sandbox.js';
import type { SandboxRow } from '../../../resources/sandboxes/sandbox.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addSpecifiedMutations } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { writableSandboxes } from '../../../resources/sandboxes/sandbox-changes.js';

const SandboxSpecType = objectType(sandboxSpec);

const sandbox = rowFields<SandboxRow>();

export const SandboxType = builder.node(builder.objectRef<PartialResource<SandboxRow>>('Sandbox'), {
  description: 'An isolated machine that starts on demand.',
  interfaces: [BilledInterface, EventfulInterface, NamedInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, sandboxKind, ids),
  fields: (t) => ({
    spec: t.field({
      type: SandboxSpecType,
      nullable: false,
      ...sandbox.of(['spec'], ({ spec }) => maskedSpec(spec)),
    }),
  }),
});

addResourceQueries('SANDBOX', {
  type: SandboxType,
  kind: sandboxKind,
  many: 'sandboxes',
  groupings: workloadGroupings,
});

addSpecifiedMutations(writableSandboxes, {
  type: SandboxType,
  spec: sandboxSpec,
  deletion: 'Deletes a sandbox with its previews.',
});
