// A change as GraphQL shows it. Each of its fields says which columns it is made from, so that no others are read.
import { resolveNodes } from '@pothos/plugin-relay';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { encodeGlobalId } from '../global-id.js';
import { RowNeeds } from '../selection.js';
import { changeId, readOf } from '../../../changes/change.js';
import type { ChangeColumn, ReadChange } from '../../../changes/change.js';
import { actorKinds, changeSubjects } from '../../../changes/change-words.js';
import { KindEnum, VerbEnum } from './change-filter.js';

const ActorKindEnum = builder.enumType('ChangeActorKind', {
  description: 'Who can change something.',
  values: enumValues(actorKinds),
});

/** A field that is made from columns of a change: where it is selected, they are read. */
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
  description: 'Who changed something.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, nullable: false, ...of(['actorKind'], ({ actorKind }) => actorKind) }),
    name: t.string({
      description: 'A user’s email address, or the name of a program, as it was then; null for the service itself.',
      ...of(['actorName'], ({ actorName }) => actorName),
    }),
  }),
});

/** What the edge to a resource is made from. */
const leading = ['kind', 'resourceId'] as const;

export const ChangeType = builder.objectRef<ReadChange>('Change').implement({
  description: 'Something that was done, and by whom. It is written together with what it tells of, and never changes.',
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque, and the same for good wherever the change is told.',
      resolve: (change) => encodeGlobalId('Change', changeId(change)),
    }),
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was done.',
      ...of(['time'], ({ time }) => time),
    }),
    verb: t.field({ type: VerbEnum, nullable: false, ...of(['verb'], ({ verb }) => verb) }),
    kind: t.field({
      type: KindEnum,
      nullable: false,
      description: 'What it was done to.',
      ...of(['kind'], ({ kind }) => kind),
    }),
    resource: t.field({
      type: builder.nodeInterfaceRef(),
      extensions: { isOfCaller: true, rowNeeds: new RowNeeds(leading) },
      complexity: 2,
      description: 'What it was done to, as it is now; null when it is gone, or nothing that `node` finds.',
      resolve: async (change, _args, ctx, info) => {
        const { kind, resourceId } = readOf(change, leading);
        const typename = changeSubjects[kind].typeName;
        if (typename === undefined || resourceId === null) return null;
        const [found] = await resolveNodes(builder, ctx, info, [{ typename, id: resourceId }]);
        return found;
      },
    }),
    name: t.string({
      description: 'The name that it had; null for what has none.',
      ...of(['name'], ({ name }) => name),
    }),
    // The same for all who see the change: they reach what it is in.
    workspace: t.string({
      description: 'The workspace that it is in; null for what is in none, and for one that is gone.',
      ...of(['workspaceId'], ({ workspaceId }, { caller }) => {
        for (const { id, name } of caller.workspaces.values()) if (id === workspaceId) return name;
        return null;
      }),
    }),
    actor: t.field({
      type: ActorType,
      nullable: false,
      extensions: { isSameRow: true },
      resolve: (change) => change,
    }),
    client: t.string({
      description: 'Through which credential: its kind and its label, such as the prefix of an API key.',
      ...of(['client'], ({ client }) => client),
    }),
    requestId: t.string({
      description: 'The request that did it, as its X-Request-Id said.',
      ...of(['requestId'], ({ requestId }) => requestId),
    }),
    address: t.string({
      description: 'From which network address. For admins of the account alone; null for everybody else.',
      ...of(
        ['address'],
        ({ address }, { caller }) =>
          caller.confinedTo === undefined && caller.accounts[0]?.role === 'admin' ? address : null,
        'isOfCaller',
      ),
    }),
    version: t.int({
      description: 'The version that it led to; of a deletion the last.',
      ...of(['version'], ({ version }) => version),
    }),
    fields: t.stringList({
      nullable: { list: false, items: false },
      complexity: 1,
      description:
        'The paths that differ from what was before, such as spec.runtime.memory; empty for what was made or removed.',
      ...of(['fields'], ({ fields }) => fields),
    }),
    status: t.string({
      description: 'How it ended, or the status that it led to.',
      ...of(['status'], ({ status }) => status),
    }),
    message: t.string({ description: 'What happened, for people.', ...of(['message'], ({ message }) => message) }),
    count: t.int({
      nullable: false,
      description: 'How often it happened: refusals that repeat are summed up.',
      ...of(['count'], ({ count }) => count ?? 1),
    }),
    before: t.field({
      type: 'JSON',
      description: 'The resource as it was before, secrets masked; null for what was made, and where it was not kept.',
      ...of(['before'], ({ before }) => jsonOf(before)),
    }),
    after: t.field({
      type: 'JSON',
      description: 'The resource as it was then, secrets masked; null for what was removed, and where it was not kept.',
      ...of(['after'], ({ after }) => jsonOf(after)),
    }),
  }),
});

function jsonOf(record: object | null | undefined) {
  return record == null ? null : { ...record };
}
