// AgentSpec and everything below it, as the specification has it, with the rules that concern one part of it. What
// is read back was checked when it was written.
import { z } from 'zod';
import { percentage, positive, whole, oneOf } from '../../schema/values.js';
import { runtime, volumeAttachments } from '../../schema/runtime.js';
import { refusal } from '../../schema/problem.js';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import { text } from '../../schema/text.js';
import { cronSchedule } from '../../schema/cron-schedule.js';

export const triggerTypes = {
  http: 'Answers when it is called.',
  'http-async': 'Accepts a call, and delivers the result to callbackUrl.',
  cron: 'Runs on a schedule.',
} as const;

export const triggerType = oneOf(triggerTypes).meta({ id: 'TriggerType', description: 'What starts an agent.' });

export const repository = z
  .object({
    type: text().optional().meta({ description: 'Kind of repository.' }),
    url: text().optional().meta({ description: 'Address of the repository.' }),
  })
  .meta({ id: 'Repository', description: 'Where the source of an agent is kept.' });

export const revisionConfiguration = z
  .object({
    active: text().optional().meta({ description: 'Id of the active revision.' }),
    canary: text().optional().meta({ description: 'Id of the canary revision.' }),
    canaryPercent: percentage.optional().meta({ description: 'Percent of traffic that the canary gets.' }),
    stickySessionTtl: whole.optional().meta({ description: 'Seconds; 0 means disabled.' }),
    traffic: percentage.optional().meta({ description: 'Percent of traffic.' }),
  })
  .superRefine(
    ({ canary, canaryPercent = 0 }, rules) => {
      const isOfNothing = canaryPercent > 0 && canary === undefined;
      if (isOfNothing) refuse(rules, ['canaryPercent'], 'not_available', 'needs a canary revision');
    },
    unlessMistyped('canary', 'canaryPercent'),
  )
  .meta({ id: 'RevisionConfiguration', description: 'Which revisions serve, and how traffic is shared between them.' });

export const agentRuntime = runtime
  .extend({
    image: text().optional().meta({ description: 'Container image, built at deploy time.', 'x-filled-in': true }),
    maxScale: whole.optional().meta({ description: 'Most instances at the same time.' }),
    minScale: whole.optional().meta({ description: 'Instances kept warm; 0 means scale to zero.' }),
  })
  .superRefine(
    ({ minScale = 0, maxScale = minScale }, rules) => {
      if (minScale > maxScale)
        refuse(rules, ['minScale'], 'too_large', `must be at most maxScale, which is ${maxScale}`);
    },
    unlessMistyped('minScale', 'maxScale'),
  )
  .meta({ id: 'AgentRuntime', description: 'How an agent runs.' });

export const triggerConfiguration = z
  .object({
    authenticationType: text().optional().meta({ description: 'How callers of the trigger authenticate.' }),
    /** Sealed with the service's secret wherever it is stored. */
    callbackSecret: text().optional().meta({
      description:
        'Secret that receivers verify callbacks with. Shown to workspace admins whose credential has the scope agents:update; `***` to others.',
      readOnly: true,
    }),
    callbackUrl: text(2_048)
      .refine(isHttpUrl, refusal('invalid_format', 'must be an address that begins with http:// or https://'))
      .optional()
      .meta({ description: 'Where the result of an async call goes: http or https. Of http-async triggers only.' }),
    path: text().optional().meta({ description: 'Path of the trigger.' }),
    retry: whole.optional().meta({ description: 'How many times a failed run is tried again.' }),
    schedule: cronSchedule.optional().meta({ description: 'Cron expression of five fields.' }),
    tasks: z.array(z.record(text(), text())).optional().meta({ description: 'Tasks of a cron job.' }),
    timeout: positive.max(900).optional().meta({
      description: 'Seconds, for async triggers; at most 900. Generation mk3 only.',
    }),
  })
  .meta({ id: 'TriggerConfiguration', description: 'How a trigger works.' });

export const trigger = z
  .object({
    id: text(63)
      .min(1)
      .default('')
      .meta({
        description: 'Unique within the agent. Made up when it is left out, and told apart when it is taken.',
        // The empty text stands for one that is left out, until one is made up.
        override: ({ jsonSchema }: { jsonSchema: { default?: unknown } }) => delete jsonSchema.default,
      }),
    type: triggerType,
    enabled: z.boolean().default(true).meta({ description: 'Whether it starts the agent.' }),
    configuration: triggerConfiguration.optional(),
  })
  .superRefine(
    ({ type, configuration }, rules) => {
      if (type === 'cron' && configuration?.schedule === undefined) {
        refuse(rules, ['configuration', 'schedule'], 'required', 'is required for a cron trigger');
      }
      if (type !== 'http-async' && configuration?.callbackUrl !== undefined) {
        refuse(rules, ['configuration', 'callbackUrl'], 'not_available', 'is only available for an http-async trigger');
      }
    },
    unlessMistyped('type', 'configuration'),
  )
  .meta({ id: 'Trigger', description: 'What starts an agent, and when.' });

/** AgentSpec as it is answered. */
export const agentSpecAnswer = z
  .object({
    enabled: z.boolean().default(true).meta({ description: 'When false it serves no inference requests.' }),
    policies: z.array(text()).optional().meta({ description: 'Names of policies.' }),
    public: z.boolean().default(false).meta({
      description: 'Whether it is reachable without authentication. Generation mk3 only.',
    }),
    region: text().optional().meta({ description: 'Deployment region. Required when volumes are attached.' }),
    repository: repository.optional(),
    revision: revisionConfiguration.optional(),
    runtime: agentRuntime.optional(),
    triggers: z.array(trigger).optional(),
    volumes: volumeAttachments.optional(),
  })
  .meta({ id: 'AgentSpec', description: 'What an agent is meant to be.' });

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

export type AgentSpec = z.output<typeof agentSpecAnswer>;
export type Trigger = z.output<typeof trigger>;
