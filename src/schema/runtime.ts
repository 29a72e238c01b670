// The runtime, environment variables and volume attachments of agents, sandboxes and jobs.
import { posix } from 'node:path';
import { z } from 'zod';
import { positive, oneOf } from './values.js';
import { refusal } from './problem.js';
import { masked } from './resource.js';
import { refuse, refuseRepeated, unlessMistyped } from './rule.js';
import type { Rules } from './rule.js';
import { lines, nameForPeople, shownText, text, textLengthMax } from './text.js';

export const generations = {
  mk2: 'Container-based: cold starts of 2 to 10 seconds, 15 or more regions.',
  mk3: 'MicroVM-based: cold starts under 25 ms.',
} as const;

export const generation = oneOf(generations).meta({
  id: 'Generation',
  description: 'Runtime generation of a workload.',
});

export const volumeTypes = {
  persistent: 'An existing volume of the same workspace and region.',
  ephemeral: 'Disk-backed scratch space, created with the sandbox and destroyed when it stops.',
} as const;

export const volumeType = oneOf(volumeTypes).meta({ id: 'VolumeType', description: 'Lifetime of a volume.' });

const envNameRule = 'must be letters, digits, underscores, dots and hyphens, not starting with a digit, dot or hyphen';

export const envName = text(256).refine(
  (name) => /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name),
  refusal('invalid_format', envNameRule),
);

export const envValue = lines(32_768);

export const env = z
  .object({
    name: envName.meta({
      description:
        'Name of the variable (letters, digits, underscores, dots and dashes; starts with a letter or an underscore).',
    }),
    value: envValue
      .optional()
      .meta({ description: `Value of the variable. Secret values are returned as \`${masked}\`.` }),
    secret: z.boolean().optional().meta({ description: 'True if the value is a secret.' }),
  })
  .meta({ id: 'Env', description: 'An environment variable.' });

/** The fields common to all runtimes. */
export const runtime = z
  .object({
    envs: z
      .array(env)
      .superRefine((envs, rules) =>
        refuseRepeated(rules, envs, 'name', ({ name }) => name, 'must be unique: another variable has this name'),
      )
      .optional()
      .meta({ description: 'Environment variables. Each name must be unique.' }),
    generation: generation.optional(),
    image: shownText(textLengthMax).optional().meta({ description: 'Container image.', 'x-filled-in': true }),
    memory: positive
      .optional()
      .meta({ description: 'Memory (MB). The number of CPU cores is the memory divided by 2048.' }),
  })
  .meta({ id: 'Runtime', description: 'Runtime configuration of a sandbox or job.' });

export const volumeAttachment = z
  .object({
    type: volumeType.default('persistent'),
    name: nameForPeople(63).meta({ description: 'Name or internal ID of the volume.' }),
    mountPath: text().regex(/^\//, 'must be an absolute path').meta({ description: 'Absolute mount path.' }),
    readOnly: z.boolean().optional().meta({ description: 'True if the volume is mounted read-only.' }),
    sizeMb: positive.optional().meta({
      description: 'Size (MB). Required for ephemeral volumes; ignored for persistent ones.',
    }),
  })
  .superRefine(
    (volume, rules) => {
      const isMissing = volume.type === 'ephemeral' && volume.sizeMb === undefined;
      if (isMissing) refuse(rules, ['sizeMb'], 'required', 'is required for an ephemeral volume');
    },
    unlessMistyped('type', 'sizeMb'),
  )
  .meta({ id: 'VolumeAttachment', description: 'A volume and its mount path.' });

/** The volumes of one workload. Each mount path must be unique. */
export const volumeAttachments = z
  .array(volumeAttachment)
  .superRefine((volumes, rules) =>
    refuseRepeated(rules, volumes, 'mountPath', mountPoint, 'must be unique: another volume is mounted there'),
  );

/** Normalizes a mount path: `/a`, `/a/` and `/b/../a` are the same. */
function mountPoint({ mountPath }: { mountPath: string }): string {
  return posix.resolve('/', mountPath);
}

/** Requires a region for workloads with volumes, because volumes belong to a region. */
export function requireRegion(
  spec: { region?: string | undefined; volumes?: unknown[] | undefined },
  rules: Rules,
): void {
  const isMissing = spec.volumes !== undefined && spec.volumes.length > 0 && spec.region === undefined;
  if (isMissing) refuse(rules, ['region'], 'required', 'is required when volumes are attached');
}

export type Env = z.output<typeof env>;
export type Runtime = z.output<typeof runtime>;
export type VolumeAttachment = z.output<typeof volumeAttachment>;

/** Returns the runtime with the values of secret variables masked. */
export function maskedRuntime<Masked extends Runtime>(runtime: Masked): Masked {
  if (!runtime.envs?.some(({ secret }) => secret)) return runtime;
  return { ...runtime, envs: runtime.envs.map((each) => (each.secret ? { ...each, value: masked } : each)) };
}

/** Returns the spec of a workload with the secrets of its runtime masked. */
export function maskedSpec<Spec extends { runtime?: Runtime | undefined }>(spec: Spec): Spec {
  if (spec.runtime === undefined) return spec;
  const runtime = maskedRuntime(spec.runtime);
  return runtime === spec.runtime ? spec : { ...spec, runtime };
}
