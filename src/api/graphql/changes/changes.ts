import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
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
  description: 'A change and its cursor.',
});

const ChangeConnection = builder.connectionObject(
  { type: ChangeType, name: 'ChangeConnection', description: 'A page of changes.' },
  ChangeEdge,
);

const scopeRule =
  'Changes that the credential cannot read are omitted. Needs the scope agents:get for changes of agents, and for ' +
  'other kinds the scope that reads a resource of the kind. Changes of the account itself are only for its admins.';

const cursorRule =
  'Oldest first. A cursor is valid with any filter and in any list of changes, for the retention period of the ' +
  'change log. Continue from pageInfo.endCursor, even if the page is empty.';

builder.queryField('changes', (t) =>
  t.connection(
    {
      type: ChangeType,
      nullable: true,
      description: `Changes that the credential can access. ${cursorRule} ${scopeRule}`,
      args: {
        ...changeFilterArgument,
        account: t.arg.string({
          description:
            'Name of another account, or id of a deleted one, whose changes to list. Needs an admin of the platform.',
        }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { account, ...args }, ctx, info) =>
        resolveChanges(args, info, (input) => listChanges(ctx, { ...input, account })),
    },
    ChangeConnection,
  ),
);

builder.queryField('changeCursor', (t) =>
  t.string({
    nullable: true,
    description:
      'Position of the change log before any other field of the response was read. `changes(after:)` with this ' +
      `cursor returns every change that the lists in the same response may not include. ${scopeRule}`,
    extensions: { readFirst: new ReadFirst((ctx) => readChangeCursor(ctx).cursor()) },
    resolve: (_root, _args, ctx) => readChangeCursor(ctx).cursor(),
  }),
);

builder.objectField(WorkspaceType, 'changes', (t) =>
  t.connection(
    {
      type: ChangeType,
      nullable: true,
      description: `Changes in the workspace. ${cursorRule} ${scopeRule}`,
      args: changeFilterArgument,
      complexity: connectionComplexity,
      resolve: (workspace, args, ctx, info) =>
        resolveChanges(args, info, (input) => listWorkspaceChanges(ctx, workspace, input)),
    },
    ChangeConnection,
  ),
);

const resourceDescription = `Changes of the resource. ${cursorRule} Needs the scope that reads a resource of the kind.`;

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
        // The three kinds have the same scope.
        extensions: requiresScopes([['admin']]),
        description: `Changes of the resource. ${cursorRule}`,
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

/** Reads the page that the arguments request, and only the parts that the query selects. */
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
