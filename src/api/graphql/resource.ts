// The types that all resources share.
import type { PartialResource } from '../../store/read/resource.js';
import { coreEvent, metadata, namedMetadataAnswer, status } from '../../schema/resource.js';
import { eventsFromRow, metadataColumns, metadataOf } from '../../store/read/resource-row.js';
import type { EventfulRow, SpecifiedRow, VersionedRow } from '../../store/read/resource-row.js';
import { resourceKinds } from '../../resource-kinds.js';
import { builder } from './builder.js';
import { NamedInterface } from './named.js';
import { rowFields } from './row-fields.js';
import { enumType, interfaceType, objectType } from './shape-type.js';

export const StatusEnum = enumType(status);

export const MetadataType = objectType(metadata);

export const CoreEventType = objectType(coreEvent);

/** Metadata of resources that are not deployed themselves: name, creator and updater. */
export const NamedMetadataInterface = interfaceType(namedMetadataAnswer);

/** The description of the field `version` of all types. */
export const versionDescription =
  'Version, incremented by each change. Pass as `ifVersion` of an update or a deletion.';

/** The description of the deployment status of all types. */
export const statusDescription =
  'Deployment status, set only by the platform. Null if the platform has not reported one.';

export const versionOf = ({ version }: VersionedRow) => version;

const eventful = rowFields<EventfulRow>();

/** The interface of types with events and a change log. */
export const EventfulInterface = builder.interfaceRef<PartialResource<EventfulRow>>('Eventful').implement({
  description: 'A resource with events and a change log.',
  fields: (t) => ({
    events: t.field({
      type: [CoreEventType],
      nullable: { list: false, items: false },
      description: 'The latest 100 events of the resource, oldest first.',
      ...eventful.of(['events'], ({ events }) => eventsFromRow(events)),
    }),
    version: t.int({ nullable: false, description: versionDescription, ...eventful.of(['version'], versionOf) }),
  }),
});

/** The interface of types that usage is recorded for. */
export const BilledInterface = builder.interfaceRef<PartialResource<object>>('Billable').implement({
  description: 'A resource of a workspace that is billed individually.',
  fields: (t) => ({
    uuid: t.exposeString('id', {
      nullable: false,
      description: 'UUID of the resource: the `resourceUuid` of usage events and account metrics.',
    }),
  }),
});

const specified = rowFields<SpecifiedRow<unknown>>();

/** The interface of resource kinds with metadata, status and events. */
export const ResourceInterface = builder.interfaceRef<PartialResource<SpecifiedRow<unknown>>>('Resource').implement({
  description: 'A resource that is deployed in a workspace.',
  interfaces: [builder.nodeInterfaceRef(), EventfulInterface, NamedInterface],
  resolveType: ({ kind }) => resourceKinds[kind.name].typeName,
  fields: (t) => ({
    metadata: t.field({
      type: MetadataType,
      nullable: false,
      ...specified.part(['name'], metadataColumns, (row, found) => metadataOf(found, row)),
    }),
    status: t.field({
      type: StatusEnum,
      description: statusDescription,
      ...specified.of(['status'], ({ status }) => status),
    }),
  }),
});
