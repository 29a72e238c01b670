// The types that every resource shares.
import type { PartialResource } from '../../store/read/resource.js';
import { coreEvent, metadata, namedMetadataAnswer, status } from '../../schema/resource.js';
import { eventsFromRow, metadataColumns, metadataOf } from '../../store/read/resource-row.js';
import type { EventfulRow, SpecifiedRow, VersionedRow } from '../../store/read/resource-row.js';
import { resourceKinds } from '../../resource-kinds.js';
import { builder } from './builder.js';
import { rowFields } from './row-fields.js';
import { enumType, interfaceType, objectType } from './shape-type.js';

export const StatusEnum = enumType(status);

export const MetadataType = objectType(metadata);

export const CoreEventType = objectType(coreEvent);

/** Metadata of what has a name, and was made and changed by somebody, but is deployed nowhere by itself. */
export const NamedMetadataInterface = interfaceType(namedMetadataAnswer);

/** The version of anything that is changed again and again. */
export const versionDescription = 'One more with each change. `ifVersion` of an update or a delete takes it.';

export const versionOf = ({ version }: VersionedRow) => version;

const eventful = rowFields<EventfulRow>();

/** What has a history. */
export const EventfulInterface = builder.interfaceRef<PartialResource<EventfulRow>>('Eventful').implement({
  description: 'Anything that keeps what happened to it.',
  fields: (t) => ({
    events: t.field({
      type: [CoreEventType],
      nullable: { list: false, items: false },
      description: 'What happened to it, oldest first: the newest hundred.',
      ...eventful.of(['events'], ({ events }) => eventsFromRow(events)),
    }),
    version: t.int({ nullable: false, description: versionDescription, ...eventful.of(['version'], versionOf) }),
  }),
});

/** What usage is recorded of. */
export const BilledInterface = builder.interfaceRef<PartialResource<object>>('Billed').implement({
  description: 'Anything in a workspace that is billed by itself.',
  fields: (t) => ({
    uuid: t.exposeString('id', {
      nullable: false,
      description: 'What usage events and account metrics name it by: their `resourceUuid`.',
    }),
  }),
});

const specified = rowFields<SpecifiedRow<unknown>>();

/** Metadata, status and events, for every kind that has the whole of them. */
export const ResourceInterface = builder.interfaceRef<PartialResource<SpecifiedRow<unknown>>>('Resource').implement({
  description: 'Anything in a workspace that is deployed there.',
  interfaces: [builder.nodeInterfaceRef(), EventfulInterface],
  resolveType: ({ kind }) => resourceKinds[kind.name].typeName,
  fields: (t) => ({
    metadata: t.field({
      type: MetadataType,
      nullable: false,
      ...specified.part(['name'], metadataColumns, (row, found) => metadataOf(found, row)),
    }),
    status: t.field({ type: StatusEnum, ...specified.of(['status'], ({ status }) => status) }),
  }),
});
