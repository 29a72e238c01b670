// What a workload runs in, and what is attached to it: shared by agents, sandboxes and jobs.
import { z } from 'zod';
import type { Seal } from '../seal.js';
import { masked } from './resource.js';
import { oneOf } from './words.js';

export const generations = {
  mk2: 'Container based: cold starts of 2 to 10 seconds, 15 or more regions.',
  mk3: 'MicroVM based: cold starts under 25 ms.',
} as const;

export const volumeTypes = {
  persistent: 'An existing volume of the same workspace and region.',
  ephemeral: 'Disk-backed scratch space, created with the sandbox and destroyed when it stops.',
} as const;

export const env = z
  .object({
    name: z.string().min(1),
    value: z
      .string()
      .optional()
      .meta({ description: `${masked} when it is a secret.` }),
    secret: z.boolean().optional(),
  })
  .meta({ id: 'Env' });

/** What every runtime has, whatever runs in it. */
export const runtime = z.object({
  envs: z.array(env).optional(),
  generation: oneOf(generations).optional(),
  image: z.string().optional(),
  memory: z.int().min(1).optional().meta({ description: 'Megabytes. Cores are this divided by 2048.' }),
});

export const volumeAttachment = z
  .object({
    type: oneOf(volumeTypes).default('persistent'),
    name: z.string().min(1),
    mountPath: z.string().regex(/^\//, 'must be an absolute path'),
    readOnly: z.boolean().optional(),
    sizeMb: z.int().min(1).optional(),
  })
  .refine((volume) => volume.type === 'persistent' || volume.sizeMb !== undefined, {
    path: ['sizeMb'],
    message: 'is required for an ephemeral volume',
  })
  .meta({ id: 'VolumeAttachment' });

export type Env = z.output<typeof env>;
export type Runtime = z.output<typeof runtime>;
export type VolumeAttachment = z.output<typeof volumeAttachment>;

/** A runtime as a caller may see it: the values of secret variables never leave. */
export function maskedRuntime<Masked extends Runtime>(given: Masked): Masked {
  if (!given.envs?.some(({ secret }) => secret)) return given;
  return { ...given, envs: given.envs.map((each) => (each.secret ? { ...each, value: masked } : each)) };
}

/** A runtime as it is stored: the values of secret variables sealed. */
export function sealedRuntime<Sealed extends Runtime>(seal: Seal, given: Sealed): Sealed {
  const envs = given.envs?.map(({ value, ...each }) => ({
    ...each,
    value: each.secret && value !== undefined ? seal.seal('secret variable', value) : value,
  }));
  return { ...given, envs };
}
