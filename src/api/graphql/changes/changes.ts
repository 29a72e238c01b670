import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '../builder.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../connection.js';
import type { Connection, ConnectionArguments } from '../connection.js';
import { EventfulInterface } from '../resource.js';
import { ReadFirst, selectedColumns, selectedPaths } from '../selection.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { WorkspaceType } from '../accounts/accounts.js';
import { ImageTagType, ImageType } from '../images/images.js';
import { ExecutionType } from '../jobs/job-executions.js';
import { allColumns } from '../../../changes/change.js';
import type { ReadChange } from '../../../changes/change.js';
import { listChanges, listResourceChanges, listWorkspaceChanges, readChangeCursor } from '../../../changes/changes.js';
import type { ChangesInput, ChangesPage } from '../../../changes/changes.js';
import { ChangeType } from './change.js';
import { changeFilterArgument, filterFromInput } from './change-filter.js';
import type { FilterValue } from './change-filter.js';

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
        resolve: (found: PartialResource<object>, args, ctx, info) => resolveChanges(args, info, changesOf(found, ctx)),
      },
      ChangeConnection,
    ),
  );
}

function changesOf({ id, kind, workspace }: PartialResource<object>, ctx: Parameters<typeof listResourceChanges>[0]) {
  const resource = { id, workspace, kind: kind.name };
  return (input: ChangesInput) => listResourceChanges(ctx, resource, input);
}

/** Reads the page that the arguments ask for, and of it no more than the query selects. */
async function resolveChanges(
  args: ConnectionArguments & { filter?: FilterValue | null | undefined },
  info: GraphQLResolveInfo,
  list: (input: ChangesInput) => Promise<ChangesPage>,
): Promise<Connection<ReadChange>> {
  const paths = selectedPaths(info);
  const columns = selectedColumns(info);
  const isSelected = (...names: string[]) => names.some((name) => paths.has(name));
  const page = await list({
    ...sliceFromArguments(args),
    filter: filterFromInput(args.filter),
    wanted: {
      items: isSelected('edges', 'nodes', 'pageInfo'),
      columns: allColumns.filter((column) => columns.has(column)),
      total: isSelected('totalCount'),
      filtered: isSelected('filteredCount'),
    },
  });
  const { cursors, endCursor, total, filtered } = page;
  return { ...connectionFromPage(page, cursors, endCursor), total, filtered };
}
