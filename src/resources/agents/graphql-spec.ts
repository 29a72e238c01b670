import { builder } from '../../graphql/builder.js';
import { enumValues } from '../../graphql/enums.js';
import { EnvType, GenerationEnum, VolumeAttachmentType } from '../../graphql/runtime.js';
import { triggerTypes } from './agent-spec.js';
import type {
  AgentRuntime,
  AgentSpec,
  Repository,
  RevisionConfiguration,
  Trigger,
  TriggerConfiguration,
} from './agent-spec.js';

const RepositoryType = builder.objectRef<Repository>('Repository').implement({
  description: 'Where the source of an agent is kept.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Kind of repository.' }),
    url: t.exposeString('url', { description: 'Address of the repository.' }),
  }),
});

const RevisionConfigurationType = builder.objectRef<RevisionConfiguration>('RevisionConfiguration').implement({
  description: 'Which revisions serve, and how traffic is shared between them.',
  fields: (t) => ({
    active: t.exposeString('active', { description: 'Id of the active revision.' }),
    canary: t.exposeString('canary', { description: 'Id of the canary revision.' }),
    canaryPercent: t.exposeInt('canaryPercent', { description: 'Percent of traffic that the canary gets.' }),
    stickySessionTtl: t.exposeInt('stickySessionTtl', { description: 'Seconds; 0 means disabled.' }),
    traffic: t.exposeInt('traffic', { description: 'Percent of traffic.' }),
  }),
});

const AgentRuntimeType = builder.objectRef<AgentRuntime>('AgentRuntime').implement({
  description: 'How an agent runs.',
  fields: (t) => ({
    envs: t.expose('envs', { type: [EnvType], description: 'Environment variables.' }),
    generation: t.expose('generation', { type: GenerationEnum }),
    image: t.exposeString('image', { description: 'Container image, built at deploy time.' }),
    maxScale: t.exposeInt('maxScale', { description: 'Most instances at the same time.' }),
    memory: t.exposeInt('memory', { description: 'Megabytes. Cores are this divided by 2048.' }),
    minScale: t.exposeInt('minScale', { description: 'Instances kept warm; 0 means scale to zero.' }),
  }),
});

const TriggerTypeEnum = builder.enumType('TriggerType', {
  description: 'What starts an agent.',
  values: enumValues(triggerTypes),
});

const TriggerConfigurationType = builder.objectRef<TriggerConfiguration>('TriggerConfiguration').implement({
  description: 'How a trigger works.',
  fields: (t) => ({
    authenticationType: t.exposeString('authenticationType', {
      description: 'How callers of the trigger authenticate.',
    }),
    callbackSecret: t.exposeString('callbackSecret', {
      description: 'What callbacks are verified with. Shown to workspace admins; `***` to others.',
    }),
    callbackUrl: t.exposeString('callbackUrl', { description: 'Where the result of an async call goes.' }),
    path: t.exposeString('path', { description: 'Path of the trigger.' }),
    retry: t.exposeInt('retry', { description: 'How many times a failed run is tried again.' }),
    schedule: t.exposeString('schedule', { description: 'Cron expression of five fields.' }),
    tasks: t.expose('tasks', { type: ['JSON'], description: 'Tasks of a cron job.' }),
    timeout: t.exposeInt('timeout', { description: 'Seconds, for async triggers; at most 900. Generation mk3 only.' }),
  }),
});

const TriggerType = builder.objectRef<Trigger>('Trigger').implement({
  description: 'What starts an agent, and when.',
  fields: (t) => ({
    id: t.exposeString('id', { nullable: false, description: 'Unique within the agent.' }),
    type: t.expose('type', { type: TriggerTypeEnum, nullable: false }),
    enabled: t.exposeBoolean('enabled', { nullable: false }),
    configuration: t.expose('configuration', { type: TriggerConfigurationType }),
  }),
});

export const AgentSpecType = builder.objectRef<AgentSpec>('AgentSpec').implement({
  description: 'What an agent is meant to be.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', {
      nullable: false,
      description: 'When false it serves no inference requests.',
    }),
    policies: t.exposeStringList('policies', { description: 'Names of policies.' }),
    public: t.exposeBoolean('public', {
      nullable: false,
      description: 'Whether it is reachable without authentication. Generation mk3 only.',
    }),
    region: t.exposeString('region', { description: 'Deployment region. Required when volumes are attached.' }),
    repository: t.expose('repository', { type: RepositoryType }),
    revision: t.expose('revision', { type: RevisionConfigurationType }),
    runtime: t.expose('runtime', { type: AgentRuntimeType }),
    triggers: t.expose('triggers', { type: [TriggerType] }),
    volumes: t.expose('volumes', { type: [VolumeAttachmentType] }),
  }),
});
