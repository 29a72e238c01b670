// AgentSpec and everything below it, as the specification has it: what may be written is checked here,
// once; what is read back was checked then.
import { z } from 'zod';
import { runtime, volumeAttachment } from '../runtime.js';
import { oneOf } from '../words.js';
import { cronSchedule } from './cron-schedule.js';

export const triggerTypes = {
  http: 'Answers when it is called.',
  'http-async': 'Accepts a call, and delivers the result to callbackUrl.',
  cron: 'Runs on a schedule.',
} as const;

const percentage = z.int().min(0).max(100);
const whole = z.int().min(0);

export const repository = z
  .object({ type: z.string().optional(), url: z.string().optional() })
  .meta({ id: 'Repository' });

export const revisionConfiguration = z
  .object({
    active: z.string().optional(),
    canary: z.string().optional(),
    canaryPercent: percentage.optional(),
    stickySessionTtl: whole.optional(),
    traffic: percentage.optional(),
  })
  .meta({ id: 'RevisionConfiguration' });

export const agentRuntime = runtime
  .extend({ maxScale: whole.optional(), minScale: whole.optional() })
  .meta({ id: 'AgentRuntime' });

export const triggerConfiguration = z
  .object({
    authenticationType: z.string().optional(),
    /** Sealed with the service's secret wherever it is stored. */
    callbackSecret: z.string().optional(),
    callbackUrl: z.url().optional(),
    path: z.string().optional(),
    retry: whole.optional(),
    schedule: cronSchedule.optional(),
    tasks: z.array(z.record(z.string(), z.string())).optional(),
    timeout: z.int().min(1).max(900).optional(),
  })
  .meta({ id: 'TriggerConfiguration' });

export const trigger = z
  .object({
    /** Made up when it is left out, and told apart when it is taken. */
    id: z.string().min(1).optional(),
    type: oneOf(triggerTypes),
    enabled: z.boolean().default(true),
    configuration: triggerConfiguration.optional(),
  })
  .meta({ id: 'Trigger' });

/** AgentSpec as it is answered. */
export const agentSpecAnswer = z
  .object({
    enabled: z.boolean().default(true),
    policies: z.array(z.string()).optional(),
    public: z.boolean().default(false),
    region: z.string().optional(),
    repository: repository.optional(),
    revision: revisionConfiguration.optional(),
    runtime: agentRuntime.optional(),
    triggers: z.array(trigger).optional(),
    volumes: z.array(volumeAttachment).optional(),
  })
  .meta({ id: 'AgentSpec' });

/** AgentSpec as it comes in, with the rules that concern several fields. */
export const agentSpec = agentSpecAnswer
  .superRefine((spec, ctx) => {
    const refuse = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    const isMk3 = spec.runtime?.generation === 'mk3';
    if (spec.public && !isMk3) refuse(['public'], 'is only available for generation mk3');
    if (spec.volumes?.length && spec.region === undefined) refuse(['region'], 'is required when volumes are attached');
    spec.triggers?.forEach((each, index) => {
      if (each.configuration?.timeout !== undefined && !isMk3) {
        refuse(['triggers', index, 'configuration', 'timeout'], 'is only available for generation mk3');
      }
    });
  })
  .transform(({ triggers, ...spec }) => ({ ...spec, triggers: triggers && withIds(triggers) }));

function withIds<Named extends { id?: string | undefined; type: string }>(
  triggers: Named[],
): (Named & { id: string })[] {
  const taken = new Set<string>();
  return triggers.map((each) => {
    const wish = each.id ?? each.type;
    let id = wish;
    for (let count = 2; taken.has(id); count++) id = `${wish}-${count}`;
    taken.add(id);
    return { ...each, id };
  });
}

export type AgentSpec = Omit<z.output<typeof agentSpec>, 'triggers'> & { triggers?: Trigger[] | undefined };
export type AgentSpecInput = z.input<typeof agentSpec>;
export type AgentRuntime = z.output<typeof agentRuntime>;
export type Repository = z.output<typeof repository>;
export type RevisionConfiguration = z.output<typeof revisionConfiguration>;
export type Trigger = z.output<typeof trigger> & { id: string };
export type TriggerConfiguration = z.output<typeof triggerConfiguration>;
