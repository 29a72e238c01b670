// The fields between volumes and the workloads that mount them.
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { orNull } from '../connection.js';
import { ResourceInterface } from '../resource.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { enumType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { volumeType } from '../../../schema/runtime.js';
import type { VolumeAttachment } from '../../../schema/runtime.js';
import { AgentType } from '../agents/agents.js';
import { SandboxType } from '../sandboxes/sandboxes.js';
import { attachedMax, getAttachedVolume, listAttachedWorkloads } from '../../../resources/volumes/attachments.js';
import type { AttachingRow, Attachment } from '../../../resources/volumes/attachments.js';
import { VolumeType } from './volumes.js';
import type { VolumeRow } from '../../../resources/volumes/volume.js';

const VolumeTypeEnum = enumType(volumeType);

const AttachmentType = builder.objectRef<Attachment>('Attachment').implement({
  description: 'The attachment of a volume to a workload.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name of the volume, or its internal identifier.' }),
    type: t.expose('type', { type: VolumeTypeEnum, nullable: false }),
    mountPath: t.exposeString('mountPath', { nullable: false, description: 'Absolute path in the workload.' }),
    readOnly: t.exposeBoolean('readOnly', { description: 'True if the volume is mounted read-only. Null if not set.' }),
    volume: t.field({
      type: VolumeType,
      extensions: requiresScopes([['volumes:get']]),
      description: 'The attached volume. Null if the volume is ephemeral or does not exist.',
      resolve: (attachment, _args, ctx, info) => orNull(getAttachedVolume(ctx, attachment, selectedColumns(info))),
    }),
  }),
});

const attaching = rowFields<AttachingRow>();

const description = 'Volumes that are mounted in the workload, in the order of its spec.';

function attachmentsOf({ workspace }: PartialResource<object>, volumes: VolumeAttachment[] | undefined): Attachment[] {
  return (volumes ?? []).map((volume) => ({ ...volume, workspace }));
}

builder.objectField(AgentType, 'attachments', (t) =>
  t.field({
    type: [AttachmentType],
    nullable: { list: false, items: false },
    description,
    ...attaching.of(['spec'], ({ spec }, found) => attachmentsOf(found, spec.volumes)),
  }),
);

builder.objectField(SandboxType, 'attachments', (t) =>
  t.field({
    type: [AttachmentType],
    nullable: { list: false, items: false },
    description,
    ...attaching.of(['spec'], ({ spec }, found) => attachmentsOf(found, spec.volumes)),
  }),
);

builder.objectField(VolumeType, 'attachedTo', (t) =>
  t.field({
    type: [ResourceInterface],
    nullable: { list: true, items: false },
    description: `Agents and sandboxes that mount the volume, ordered by kind and name (the first ${attachedMax}).`,
    extensions: {
      ...requiresScopes([['agents:get', 'sandboxes:get']]),
      ...rowFields<VolumeRow>().of(['name'], ({ name }) => name).extensions,
    },
    resolve: (volume, _args, ctx) => listAttachedWorkloads(ctx, volume),
  }),
);
