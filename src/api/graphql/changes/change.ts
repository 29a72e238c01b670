// The type Change. Each field declares its columns, so that a query reads only the columns that it needs.
import { resolveNodes } from '@pothos/plugin-relay';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { encodeGlobalId } from '../global-id.js';
import { RowNeeds } from '../selection.js';
import { isAdminOfOwnAccount } from '../../../changes/change-access.js';
import { changeId, readOf } from '../../../changes/change.js';
import type { ChangeColumn, ReadChange } from '../../../changes/change.js';
import { actorKinds, changeSubjects } from '../../../changes/change-subjects.js';
import { ActionEnum, KindEnum } from './change-filter.js';

const ActorKindEnum = builder.enumType('ChangeActorKind', {
  description: 'The kind of actor of a change.',
  values: enumValues(actorKinds),
});

/** A field that is computed from columns of a change. The columns are read only if the field is selected. */
function of<Column extends ChangeColumn, Value>(
  columns: readonly Column[],
  make: (change: ReadChange<Column>, ctx: RequestContext) => Value,
  isOfCaller?: 'isOfCaller',
) {
  return {
    extensions: { rowNeeds: new RowNeeds(columns), ...(isOfCaller === undefined ? {} : { isOfCaller: true }) },
    resolve: (change: ReadChange, _args: object, ctx: RequestContext) => make(readOf(change, columns), ctx),
  };
}

const ActorType = builder.objectRef<ReadChange>('ChangeActor').implement({
  description: 'The actor of a change.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, nullable: false, ...of(['actorKind'], ({ actorKind }) => actorKind) }),
    name: t.string({
      description:
        'A user’s email address, or the name of a program, at the time of the change. Null for the service itself.',
      ...of(['actorName'], ({ actorName }) => actorName),
    }),
  }),
});

/** The columns that identify the resource of a change. */
const leading = ['kind', 'resourceId'] as const;

export const ChangeType = builder.objectRef<ReadChange>('Change').implement({
  description:
    'An entry of the change log: an action, its subject and its actor. Written in the transaction of the change, and ' +
    'immutable.',
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque, permanent ID of the change. The same in the change log, subscriptions and webhooks.',
      resolve: (change) => encodeGlobalId('Change', changeId(change)),
    }),
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time of the change.',
      ...of(['time'], ({ time }) => time),
    }),
    action: t.field({ type: ActionEnum, nullable: false, ...of(['verb'], ({ verb }) => verb) }),
    kind: t.field({
      type: KindEnum,
      nullable: false,
      description: 'The kind of the changed item.',
      ...of(['kind'], ({ kind }) => kind),
    }),
    resource: t.field({
      type: builder.nodeInterfaceRef(),
      extensions: { isOfCaller: true, rowNeeds: new RowNeeds(leading) },
      complexity: 2,
      description:
        'The changed resource in its current state. Null if it is deleted, or is not available through `node`.',
      resolve: async (change, _args, ctx, info) => {
        const { kind, resourceId } = readOf(change, leading);
        const typename = changeSubjects[kind].typeName;
        if (typename === undefined || resourceId === null) return null;
        const [node] = await resolveNodes(builder, ctx, info, [{ typename, id: resourceId }]);
        return node;
      },
    }),
    name: t.string({
      description: 'Name of the changed item at the time of the change, or null if it has no name.',
      ...of(['name'], ({ name }) => name),
    }),
    workspaceName: t.string({
      description: 'Name of the workspace. Null if the item belongs to no workspace, or if the workspace is deleted.',
      ...of(['workspaceName'], ({ workspaceName }) => workspaceName),
    }),
    actor: t.field({
      type: ActorType,
      nullable: false,
      extensions: { isSameRow: true },
      resolve: (change) => change,
    }),
    client: t.string({
      description:
        'The credential of the request: its kind and its label, such as the prefix of an API key. Null for the platform.',
      ...of(['client'], ({ client }) => client),
    }),
    requestId: t.string({
      description: 'ID of the request (`X-Request-Id`), or null for a change without a request.',
      ...of(['requestId'], ({ requestId }) => requestId),
    }),
    address: t.string({
      description: 'IP address of the request. Only for admins of the account; null for other callers.',
      ...of(['address'], ({ address }, { caller }) => (isAdminOfOwnAccount(caller) ? address : null), 'isOfCaller'),
    }),
    version: t.int({
      description: 'Version after the change. For a deletion: the last version. Null if the item has no version.',
      ...of(['version'], ({ version }) => version),
    }),
    fields: t.stringList({
      nullable: { list: false, items: false },
      complexity: 1,
      description: 'Paths of the changed fields, such as spec.runtime.memory. Empty for a creation or deletion.',
      ...of(['fields'], ({ fields }) => fields),
    }),
    status: t.string({
      description: 'Outcome of the action, or the status after the change. Null if it was not recorded.',
      ...of(['status'], ({ status }) => status),
    }),
    message: t.string({
      description: 'Human-readable message, or null if there is none.',
      ...of(['message'], ({ message }) => message),
    }),
    count: t.int({
      nullable: false,
      description: 'Number of occurrences. Repeated denied requests are combined into one change.',
      ...of(['count'], ({ count }) => count ?? 1),
    }),
    before: t.field({
      type: 'JSON',
      description:
        'The resource before the change, with masked secrets. Null for a creation, or if it was not recorded.',
      ...of(['before'], ({ before }) => jsonOf(before)),
    }),
    after: t.field({
      type: 'JSON',
      description:
        'The resource after the change, with masked secrets. Null for a deletion, or if it was not recorded.',
      ...of(['after'], ({ after }) => jsonOf(after)),
    }),
  }),
});

function jsonOf(record: object | null | undefined) {
  return record == null ? null : { ...record };
}
