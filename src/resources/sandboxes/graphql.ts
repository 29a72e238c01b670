import { builder } from '../../graphql/builder.js';
import { EventfulInterface, ResourceInterface } from '../../graphql/resource.js';
import { foundId } from '../../graphql/resource-list.js';
import { RuntimeType, VolumeAttachmentType } from '../../graphql/runtime.js';
import { addResourceFields } from '../../graphql/resource-fields.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import type { Sandbox, SandboxSpec } from './sandbox.js';
import { findSandboxes, getSandbox, listSandboxes } from './sandboxes.js';

const SandboxSpecType = builder.objectRef<SandboxSpec>('SandboxSpec').implement({
  description: 'What a sandbox is meant to be.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { nullable: false, description: 'When false it cannot be started.' }),
    region: t.exposeString('region', { description: 'Region that it runs in.' }),
    runtime: t.expose('runtime', { type: RuntimeType }),
    volumes: t.expose('volumes', { type: [VolumeAttachmentType], description: 'Volumes that are attached to it.' }),
  }),
});

export const SandboxType = builder.node(builder.objectRef<Found<Sandbox>>('Sandbox'), {
  description:
    'A sandbox: an isolated machine that starts when it is called. Lists need sandboxes:list, one needs sandboxes:get.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findSandboxes(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: SandboxSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addResourceFields(SandboxType, WorkspaceType, {
  name: 'Sandbox',
  one: 'sandbox',
  many: 'sandboxes',
  scopes: { list: 'sandboxes:list', get: 'sandboxes:get' },
  list: listSandboxes,
  get: getSandbox,
});
