import { filterArgument } from '../../graphql/filter-argument.js';
import { builder } from '../../graphql/builder.js';
import { connectionComplexity, orNull } from '../../graphql/connection.js';
import { countComplexity, countDescription, groupByArgument, GroupCountType } from '../../graphql/group-counts.js';
import { EventfulInterface, NamedMetadataInterface } from '../../graphql/resource.js';
import { connectionOf, namedListArguments } from '../../graphql/resource-fields.js';
import { foundId, resolveList } from '../../graphql/resource-list.js';
import { rowFields } from '../../graphql/row-fields.js';
import { selectedColumns } from '../../graphql/selection.js';
import { objectType } from '../../graphql/shape-type.js';
import type { Found } from '../../kind/found.js';
import { previewGroupings } from '../../kind/grouping.js';
import { workspaceEdge } from '../accounts/graphql.js';
import { creatorEdge, updaterEdge } from '../accounts/graphql-authors.js';
import { SandboxType } from './graphql.js';
import { previewKind, previewMetadata, previewMetadataColumns, previewMetadataOf, previewSpec } from './preview.js';
import type { PreviewRow } from './preview.js';
import { countPreviews, findPreviews, getPreview, listPreviews } from './previews.js';
import { findSandboxes } from './sandboxes.js';

const PreviewMetadataType = objectType(previewMetadata, [NamedMetadataInterface]);

const PreviewSpecType = objectType(previewSpec);

const preview = rowFields<PreviewRow>();

export const PreviewType = builder.node(builder.objectRef<Found<PreviewRow>>('SandboxPreview'), {
  description: 'An address under which a port of a sandbox can be seen. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findPreviews(ctx, ids),
  fields: (t) => ({
    sandbox: t.field({
      type: SandboxType,
      description: 'What it shows a port of. Needs the scope sandboxes:get.',
      ...preview.owner('sandboxId', ({ sandboxId }) => sandboxId, findSandboxes),
    }),
    workspace: t.field(workspaceEdge),
    creator: t.field(creatorEdge),
    updater: t.field(updaterEdge),
    metadata: t.field({
      type: PreviewMetadataType,
      nullable: false,
      ...preview.part(['name'], previewMetadataColumns, (row, found) => previewMetadataOf(found, row)),
    }),
    spec: t.field({ type: PreviewSpecType, nullable: false, ...preview.of(['spec'], ({ spec }) => spec) }),
  }),
});

const filter = filterArgument('SandboxPreview', previewKind.criteria);

const connection = connectionOf(PreviewType, 'SandboxPreview', 'previews');

builder.objectField(SandboxType, 'preview', (t) =>
  t.field({
    type: PreviewType,
    description: 'One of its previews by name; null when there is none. Needs the scope admin.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: (owner, { name }, ctx, info) => orNull(getPreview(ctx, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(SandboxType, 'previews', (t) =>
  t.connection(
    {
      type: PreviewType,
      nullable: false,
      description: 'Its previews. Needs the scope admin.',
      args: { ...namedListArguments, ...filter },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listPreviews(ctx, owner, { ...input, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.objectField(SandboxType, 'previewCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    description: countDescription('previews', 'admin'),
    args: { ...groupByArgument('SandboxPreview', previewGroupings), search: namedListArguments.search, ...filter },
    complexity: countComplexity,
    resolve: (owner, args, ctx) => countPreviews(ctx, owner, args),
  }),
);
