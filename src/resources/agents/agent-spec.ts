// AgentSpec and its parts, as in the specification, with the rules for each part. Stored specifications are not
// validated again when they are read.
import { z } from 'zod';
import { percentage, positive, whole, oneOf } from '../../schema/values.js';
import { restartPolicy } from '../../schema/restart-policy.js';
import { runtime, volumeAttachments } from '../../schema/runtime.js';
import { refusal } from '../../schema/problem.js';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import { masked } from '../../schema/resource.js';
import { nameForPeople, shownText, text, textLengthMax } from '../../schema/text.js';
import { cronSchedule } from '../../schema/cron-schedule.js';

/** The maximum length of the id of a trigger (code points). */
export const triggerIdLengthMax = 63;

export const triggerTypes = {
  http: 'Responds to each HTTP call.',
  'http-async': 'Accepts an HTTP call and sends the result to callbackUrl.',
  cron: 'Runs on a schedule.',
} as const;

export const triggerType = oneOf(triggerTypes).meta({ id: 'TriggerType', description: 'Type of a trigger.' });

export const repository = z
  .object({
    type: shownText(textLengthMax).optional().meta({ description: 'Type of the repository.' }),
    url: shownText(textLengthMax)
      .refine(hasNoCredentials, refusal('invalid_format', 'must not contain a user name or password'))
      .optional()
      .meta({ description: 'URL of the repository (without credentials).' }),
  })
  .meta({ id: 'Repository', description: 'Source repository of an agent.' });

export const revisionConfiguration = z
  .object({
    active: shownText(textLengthMax).optional().meta({ description: 'ID of the active revision.' }),
    canary: shownText(textLengthMax).optional().meta({ description: 'ID of the canary revision.' }),
    canaryPercent: percentage
      .optional()
      .meta({ description: 'Percentage of traffic that goes to the canary revision.' }),
    stickySessionTtl: whole.optional().meta({ description: 'Duration of sticky sessions (seconds). 0 disables them.' }),
    traffic: percentage.optional().meta({ description: 'Percentage of traffic.' }),
  })
  .superRefine(
    ({ canary, canaryPercent = 0 }, rules) => {
      const isOfNothing = canaryPercent > 0 && canary === undefined;
      if (isOfNothing) refuse(rules, ['canaryPercent'], 'not_available', 'can only be above 0 if canary is set');
    },
    unlessMistyped('canary', 'canaryPercent'),
  )
  .meta({
    id: 'RevisionConfiguration',
    description: 'Revisions that serve an agent, and the split of traffic between them.',
  });

export const agentRuntime = runtime
  .extend({
    image: shownText(textLengthMax)
      .optional()
      .meta({ description: 'Container image, built at deploy time.', 'x-filled-in': true }),
    maxScale: whole.optional().meta({ description: 'Maximum number of instances.' }),
    minScale: whole.optional().meta({ description: 'Minimum number of instances, kept warm. 0 means scale to zero.' }),
  })
  .superRefine(
    ({ minScale = 0, maxScale = minScale }, rules) => {
      if (minScale > maxScale)
        refuse(rules, ['minScale'], 'too_large', `must be at most maxScale, which is ${maxScale}`);
    },
    unlessMistyped('minScale', 'maxScale'),
  )
  .meta({ id: 'AgentRuntime', description: 'Runtime configuration of an agent.' });

export const triggerConfiguration = z
  .object({
    authenticationType: shownText(textLengthMax)
      .optional()
      .meta({ description: 'Authentication method for callers of the trigger.' }),
    /** Stored encrypted with the service's secret. */
    callbackSecret: text().optional().meta({
      description:
        'Secret for verifying callbacks. Returned to workspace admins whose credential has the scope agents:update; `***` for others.',
      readOnly: true,
    }),
    callbackUrl: text(2_048)
      .refine(isHttpUrl, refusal('invalid_format', 'must be a URL that starts with http:// or https://'))
      .optional()
      .meta({
        description:
          'URL that receives the result of an async call (http or https). Only for http-async triggers. Stored encrypted. ' +
          'Returned to workspace admins whose credential has the scope agents:update; `***` for others.',
      }),
    path: shownText(textLengthMax).optional().meta({ description: 'Path of the trigger.' }),
    retry: whole.optional().meta({ description: 'Maximum number of retries of a failed run.' }),
    schedule: cronSchedule.optional().meta({ description: 'Cron expression with five fields.' }),
    tasks: z
      .array(z.record(shownText(textLengthMax), text()))
      .optional()
      .meta({ description: 'Tasks of a cron job.' }),
    timeout: positive.max(900).optional().meta({
      description: 'Timeout for async triggers (seconds, at most 900). Generation mk3 only.',
    }),
  })
  .meta({ id: 'TriggerConfiguration', description: 'Configuration of a trigger.' });

export const trigger = z
  .object({
    id: nameForPeople(triggerIdLengthMax)
      .default('')
      .meta({
        description:
          'ID, unique within the agent. If omitted, kept from an existing trigger that is equal or has the same type, else generated. A suffix is added if the ID is taken.',
        // The empty text means that the id was omitted; withIds() then generates one.
        override: ({ jsonSchema }: { jsonSchema: { default?: unknown } }) => delete jsonSchema.default,
      }),
    type: triggerType,
    enabled: z.boolean().default(true).meta({ description: 'True if the trigger can start the agent.' }),
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
  .meta({ id: 'Trigger', description: 'A trigger that starts an agent.' });

/** AgentSpec in responses. */
export const agentSpecAnswer = z
  .object({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'Enables the agent. If false, the agent serves no inference requests.' }),
    policies: z.array(shownText(textLengthMax)).optional().meta({ description: 'Names of policies.' }),
    public: z.boolean().default(false).meta({
      description: 'Allows requests without authentication. Generation mk3 only.',
    }),
    region: text().optional().meta({ description: 'Deployment region. Required when volumes are attached.' }),
    repository: repository.optional(),
    restartPolicy: restartPolicy.optional(),
    revision: revisionConfiguration.optional(),
    runtime: agentRuntime.optional(),
    triggers: z.array(trigger).optional(),
    volumes: volumeAttachments.optional(),
  })
  .meta({ id: 'AgentSpec', description: 'Desired state of an agent.' });

/** Users of SSH, such as git@, are no credentials. */
function hasNoCredentials(url: string): boolean {
  const { protocol = '', username = '', password = '' } = URL.parse(url) ?? {};
  return password === '' && (username === '' || !/^https?:$/.test(protocol));
}

/** The mask of a stored URL is accepted too: it keeps the URL (agent-changes.ts). */
function isHttpUrl(url: string): boolean {
  if (url === masked) return true;
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

export type AgentSpec = z.output<typeof agentSpecAnswer>;
export type Trigger = z.output<typeof trigger>;
