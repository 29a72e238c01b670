import { withReference } from '../reference.js';
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
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import {
  createSandbox,
  deleteSandbox,
  redeploySandbox,
  updateSandbox,
} from '../../../resources/sandboxes/sandbox-changes.js';

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

addCreateMutation('SANDBOX', {
  type: SandboxType,
  scopes: [['sandboxes:create']],
  description: 'Creates a sandbox.',
  input: (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(sandboxSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createSandbox(ctx, input),
});

addUpdateMutation('SANDBOX', {
  type: SandboxType,
  scopes: [['sandboxes:update']],
  description: 'Updates a sandbox.',
  input: (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(sandboxSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updateSandbox(ctx, withReference('Sandbox', input)),
});

addDeleteMutation('SANDBOX', {
  type: SandboxType,
  scopes: [['sandboxes:delete']],
  description: 'Deletes a sandbox with its previews.',
  input: () => ({}),
  run: (ctx, input) => deleteSandbox(ctx, withReference('Sandbox', input)),
});

addRedeployMutation('SANDBOX', {
  type: SandboxType,
  scopes: [['sandboxes:update']],
  input: () => ({}),
  run: (ctx, input) => redeploySandbox(ctx, withReference('Sandbox', input)),
});
