// What a workload runs in, and what is attached to it.
import { generations, volumeTypes } from '../resources/runtime.js';
import type { Env, Runtime, VolumeAttachment } from '../resources/runtime.js';
import { builder } from './builder.js';
import { enumValues } from './enums.js';

export const GenerationEnum = builder.enumType('Generation', {
  description: 'What a workload runs in.',
  values: enumValues(generations),
});

export const EnvType = builder.objectRef<Env>('Env').implement({
  description: 'An environment variable.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false }),
    value: t.exposeString('value', { description: 'The value; `***` when it is a secret.' }),
    secret: t.exposeBoolean('secret', { description: 'Whether the value is a secret.' }),
  }),
});

export const RuntimeType = builder.objectRef<Runtime>('Runtime').implement({
  description: 'How a sandbox or a job runs.',
  fields: (t) => ({
    envs: t.expose('envs', { type: [EnvType], description: 'Environment variables.' }),
    generation: t.expose('generation', { type: GenerationEnum }),
    image: t.exposeString('image', { description: 'Container image.' }),
    memory: t.exposeInt('memory', { description: 'Megabytes. Cores are this divided by 2048.' }),
  }),
});

const VolumeTypeEnum = builder.enumType('VolumeType', {
  description: 'How long a volume lives.',
  values: enumValues(volumeTypes),
});

export const VolumeAttachmentType = builder.objectRef<VolumeAttachment>('VolumeAttachment').implement({
  description: 'A volume, and where it is mounted.',
  fields: (t) => ({
    type: t.expose('type', { type: VolumeTypeEnum, nullable: false }),
    name: t.exposeString('name', { nullable: false, description: 'Name of the volume, or its internal identifier.' }),
    mountPath: t.exposeString('mountPath', { nullable: false, description: 'Absolute path inside.' }),
    readOnly: t.exposeBoolean('readOnly', { description: 'Whether it is mounted read-only.' }),
    sizeMb: t.exposeInt('sizeMb', { description: 'Megabytes, of an ephemeral volume.' }),
  }),
});
