import type { GraphQLResolveInfo } from 'graphql';
import { resolveNodes } from '@pothos/plugin-relay';
import { builder } from '../graphql/builder.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../graphql/connection.js';
import type { Connection, ConnectionArguments } from '../graphql/connection.js';
import { enumValues } from '../graphql/enums.js';
import { encodeGlobalId } from '../graphql/global-id.js';
import { EventfulInterface } from '../graphql/resource.js';
import { ReadFirst, selectedPaths } from '../graphql/selection.js';
import type { Found } from '../kind/found.js';
import { WorkspaceType } from '../resources/accounts/graphql.js';
import { ImageTagType, ImageType } from '../resources/images/graphql.js';
import { ExecutionType } from '../resources/jobs/graphql-executions.js';
import { changeId } from './change.js';
import type { Change } from './change.js';
import { actorKinds, kindsByTable, typenameOfKind } from './change-words.js';
import { listChanges, listResourceChanges, listWorkspaceChanges, readChangeCursor } from './changes.js';
import type { ChangesInput, ChangesPage } from './changes.js';
import { changeFilterArgument, filterFromInput, KindEnum, VerbEnum } from './graphql-filter.js';
import type { FilterValue } from './graphql-filter.js';

const ActorKindEnum = builder.enumType('ChangeActorKind', {
  description: 'Who can change something.',
  values: enumValues(actorKinds),
});

const ActorType = builder.objectRef<Change>('ChangeActor').implement({
  description: 'Who changed something.',
  fields: (t) => ({
    kind: t.expose('actorKind', { type: ActorKindEnum, nullable: false }),
    name: t.exposeString('actorName', {
      description: 'A user’s email address, or the name of a program, as it was then; null for the service itself.',
    }),
  }),
});

export const ChangeType = builder.objectRef<Change>('Change').implement({
  description: 'Something that was done, and by whom. It is written together with what it tells of, and never changes.',
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque, and the same for good wherever the change is told.',
      resolve: (change) => encodeGlobalId('Change', changeId(change)),
    }),
    time: t.expose('time', { type: 'DateTime', nullable: false, description: 'When it was done.' }),
    verb: t.expose('verb', { type: VerbEnum, nullable: false }),
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'What it was done to.' }),
    resource: t.field({
      type: builder.nodeInterfaceRef(),
      extensions: { isOfCaller: true },
      complexity: 2,
      description: 'What it was done to, as it is now; null when it is gone, or nothing that `node` finds.',
      resolve: async ({ kind, resourceId }, _args, ctx, info) => {
        const typename = typenameOfKind(kind);
        if (typename === undefined || resourceId === null) return null;
        const [found] = await resolveNodes(builder, ctx, info, [{ typename, id: resourceId }]);
        return found;
      },
    }),
    name: t.exposeString('name', { description: 'The name that it had; null for what has none.' }),
    // The same for all who see the change: they reach what it is in.
    workspace: t.string({
      description: 'The workspace that it is in; null for what is in none, and for one that is gone.',
      resolve: ({ workspaceId }, _args, { caller }) => {
        for (const { id, name } of caller.workspaces.values()) if (id === workspaceId) return name;
        return null;
      },
    }),
    actor: t.field({ type: ActorType, nullable: false, resolve: (change) => change }),
    client: t.exposeString('client', {
      description: 'Through which credential: its kind and its label, such as the prefix of an API key.',
    }),
    requestId: t.exposeString('requestId', { description: 'The request that did it, as its X-Request-Id said.' }),
    address: t.string({
      extensions: { isOfCaller: true },
      description: 'From which network address. For admins of the account alone; null for everybody else.',
      resolve: ({ address }, _args, { caller }) =>
        caller.confinedTo === undefined && caller.accounts[0]?.role === 'admin' ? address : null,
    }),
    version: t.exposeInt('version', { description: 'The version that it led to; of a deletion the last.' }),
    fields: t.exposeStringList('fields', {
      nullable: { list: false, items: false },
      complexity: 1,
      description: 'The paths that an update changed, such as spec.runtime.memory; empty for other changes.',
    }),
    status: t.exposeString('status', { description: 'How it ended, or the status that it led to.' }),
    message: t.exposeString('message', { description: 'What happened, for people.' }),
    count: t.int({
      nullable: false,
      description: 'How often it happened: refusals that repeat are summed up.',
      resolve: ({ count }) => count ?? 1,
    }),
    before: t.field({
      type: 'JSON',
      description: 'The resource as it was before, secrets masked; null for what was made, and where it was not kept.',
      resolve: ({ before }) => jsonOf(before),
    }),
    after: t.field({
      type: 'JSON',
      description: 'The resource as it was then, secrets masked; null for what was removed, and where it was not kept.',
      resolve: ({ after }) => jsonOf(after),
    }),
  }),
});

function jsonOf(record: object | null | undefined) {
  return record == null ? null : { ...record };
}

export const ChangeEdge = builder.edgeObject({
  type: ChangeType,
  name: 'ChangeEdge',
  description: 'One of a page of changes, with its cursor.',
});

const ChangeConnection = builder.connectionObject(
  { type: ChangeType, name: 'ChangeConnection', description: 'A page of changes.' },
  ChangeEdge,
);

const scopeRule =
  'What the credential may not see is left out. Needs the scope agents:get for changes of agents, and likewise for ' +
  'each kind the one by which one of it is read; what concerns the account itself is for its admins alone.';

const cursorRule =
  'Oldest first. A cursor goes on with any filter and in any place, for as long as the history is kept; ' +
  'pageInfo.endCursor is where to ask again, also when nothing new was there.';

builder.queryField('changes', (t) =>
  t.connection(
    {
      type: ChangeType,
      nullable: true,
      description: `What was changed in all that the credential reaches. ${cursorRule} ${scopeRule}`,
      args: changeFilterArgument,
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveChanges(args, info, (input) => listChanges(ctx, input)),
    },
    ChangeConnection,
  ),
);

builder.queryField('changeCursor', (t) =>
  t.string({
    nullable: true,
    description:
      'Where the history stood before anything else of this answer was read: what `changes(after:)` tells from there ' +
      `is all that the lists beside it may lack. ${scopeRule}`,
    extensions: { readFirst: new ReadFirst((ctx) => readChangeCursor(ctx).cursor()) },
    resolve: (_root, _args, ctx) => readChangeCursor(ctx).cursor(),
  }),
);

builder.objectField(WorkspaceType, 'changes', (t) =>
  t.connection(
    {
      type: ChangeType,
      nullable: true,
      description: `What was changed in it. ${cursorRule} ${scopeRule}`,
      args: changeFilterArgument,
      complexity: connectionComplexity,
      resolve: (workspace, args, ctx, info) =>
        resolveChanges(args, info, (input) => listWorkspaceChanges(ctx, workspace, input)),
    },
    ChangeConnection,
  ),
);

const resourceDescription = `What was done to it. ${cursorRule} Needs the scope by which one of its kind is read.`;

builder.interfaceField(EventfulInterface, 'changes', (t) =>
  t.connection(
    {
      type: ChangeType,
      nullable: true,
      description: resourceDescription,
      args: changeFilterArgument,
      complexity: connectionComplexity,
      resolve: (found, args, ctx, info) => resolveChanges(args, info, changesOf(found, ctx)),
    },
    ChangeConnection,
  ),
);

for (const type of [ImageType, ImageTagType, ExecutionType]) {
  builder.objectField(type, 'changes', (t) =>
    t.connection(
      {
        type: ChangeType,
        nullable: true,
        description: resourceDescription,
        args: changeFilterArgument,
        complexity: connectionComplexity,
        resolve: (found: Found<object>, args, ctx, info) => resolveChanges(args, info, changesOf(found, ctx)),
      },
      ChangeConnection,
    ),
  );
}

function changesOf({ id, kind, workspace }: Found<object>, ctx: Parameters<typeof listResourceChanges>[0]) {
  const resource = { id, workspace, kind: kindsByTable[kind.table] };
  return (input: ChangesInput) => listResourceChanges(ctx, resource, input);
}

/** Reads the page that the arguments ask for, and of it no more than the query selects. */
async function resolveChanges(
  args: ConnectionArguments & { filter?: FilterValue | null | undefined },
  info: GraphQLResolveInfo,
  list: (input: ChangesInput) => Promise<ChangesPage>,
): Promise<Connection<Change>> {
  const paths = selectedPaths(info);
  const isSelected = (...names: string[]) => names.some((name) => paths.has(name));
  const page = await list({
    ...sliceFromArguments(args),
    filter: filterFromInput(args.filter),
    wanted: {
      items: isSelected('edges', 'nodes', 'pageInfo'),
      records: isSelected('nodes.before', 'nodes.after', 'edges.node.before', 'edges.node.after'),
      total: isSelected('totalCount'),
      filtered: isSelected('filteredCount'),
    },
  });
  const { cursors, endCursor, total, filtered } = page;
  return { ...connectionFromPage(page, cursors, endCursor), total, filtered };
}
