// The types that every resource shares.
import { statuses } from '../resources/resource.js';
import type { CoreEvent, Metadata } from '../resources/resource.js';
import type { NamedMetadata, SpecifiedResource } from '../resources/resource-row.js';
import { builder } from './builder.js';
import { enumValues } from './enums.js';

export const StatusEnum = builder.enumType('Status', {
  description: 'Deployment status of a resource. Set by the platform alone.',
  values: enumValues(statuses),
});

const LabelType = builder.objectRef<{ key: string; value: string }>('Label').implement({
  description: 'A free key and value, for organizing and filtering.',
  fields: (t) => ({
    key: t.exposeString('key', { nullable: false }),
    value: t.exposeString('value', { nullable: false }),
  }),
});

export const MetadataType = builder.objectRef<Metadata>('Metadata').implement({
  description: 'What every resource has, whatever it is.',
  fields: (t) => ({
    name: t.exposeString('name', {
      nullable: false,
      description: 'Unique within the workspace: lowercase letters, digits and hyphens, at most 49. Never changes.',
    }),
    displayName: t.exposeString('displayName', { description: 'Name for people, at most 63 characters.' }),
    externalId: t.exposeString('externalId', { description: "The caller's own identifier, at most 64 characters." }),
    labels: t.field({
      type: [LabelType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ labels }) => Object.entries(labels ?? {}).map(([key, value]) => ({ key, value })),
    }),
    plan: t.exposeString('plan', { description: 'Billing plan tier, inherited from the account.' }),
    url: t.exposeString('url', { description: 'Endpoint address, made by the platform.' }),
    workspace: t.exposeString('workspace', { description: 'Name of the workspace that the resource is in.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    createdBy: t.exposeString('createdBy', { description: 'The user or service account that created it.' }),
    updatedBy: t.exposeString('updatedBy', { description: 'The user or service account that changed it last.' }),
  }),
});

export const CoreEventType = builder.objectRef<CoreEvent>('CoreEvent').implement({
  description: 'Something that happened to a resource.',
  fields: (t) => ({
    time: t.expose('time', { type: 'DateTime', description: 'When it happened.' }),
    type: t.exposeString('type', { description: 'What kind of thing happened.' }),
    status: t.exposeString('status', { description: 'How it ended, or the status that it led to.' }),
    message: t.exposeString('message', { description: 'What happened, for people.' }),
    revision: t.exposeString('revision', { description: 'Revision that it concerns.' }),
    canaryRevision: t.exposeString('canaryRevision', { description: 'Canary revision that it concerns.' }),
  }),
});

/** Metadata of what has a name, and was made and changed by somebody, but is deployed nowhere by itself. */
export const NamedMetadataInterface = builder.interfaceRef<NamedMetadata>('NamedMetadata').implement({
  description: 'What everything with a name has.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique within what it belongs to. Never changes.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people, at most 63 characters.' }),
    workspace: t.exposeString('workspace', { description: 'Name of the workspace that it is in.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    createdBy: t.exposeString('createdBy', { description: 'The user or service account that created it.' }),
    updatedBy: t.exposeString('updatedBy', { description: 'The user or service account that changed it last.' }),
  }),
});

/** What has a history. */
export const EventfulInterface = builder
  .interfaceRef<{ resource: { events?: CoreEvent[] | undefined } }>('Eventful')
  .implement({
    description: 'Anything that keeps what happened to it.',
    fields: (t) => ({
      events: t.field({
        type: [CoreEventType],
        nullable: { list: false, items: false },
        description: 'What happened to it, oldest first: the newest hundred.',
        resolve: ({ resource }) => resource.events ?? [],
      }),
    }),
  });

/** Metadata, status and events, for every kind that has the whole of them. */
export const ResourceInterface = builder.interfaceRef<{ resource: SpecifiedResource<unknown> }>('Resource').implement({
  description: 'Anything in a workspace that is deployed there.',
  interfaces: [EventfulInterface],
  fields: (t) => ({
    metadata: t.field({ type: MetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    status: t.field({ type: StatusEnum, resolve: ({ resource }) => resource.status }),
  }),
});
