import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { EventfulInterface, versionDescription, versionOf } from '../resource.js';
import { connectionOf } from '../resource-fields.js';
import { foundId, resolveList, searchArgument, sortArgument, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../../../store/read/found.js';
import {
  imageShareMetadata,
  imageShareSpec,
  shareMetadataColumns,
  shareMetadataOf,
  shareStatus,
} from '../../../resources/images/image-share.js';
import { pendingShareKind } from '../../../resources/images/image-share.js';
import type { ShareRow } from '../../../resources/images/image-share.js';
import { findShares, listOfferedShares, listPendingShares } from '../../../resources/images/image-shares.js';

const ShareStatusEnum = enumType(shareStatus);

const ShareMetadataType = objectType(imageShareMetadata);

const ShareSpecType = objectType(imageShareSpec);

const share = rowFields<ShareRow>();

export const ShareType = builder.node(builder.objectRef<Found<ShareRow>>('ImageShare'), {
  description: 'An image that one workspace offers to another, often of another account. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findShares(ctx, ids),
  fields: (t) => ({
    version: t.int({ nullable: false, description: versionDescription, ...share.of(['version'], versionOf) }),
    metadata: t.field({
      type: ShareMetadataType,
      nullable: false,
      ...share.part([], shareMetadataColumns, (row, found) => shareMetadataOf(found, row)),
    }),
    spec: t.field({
      type: ShareSpecType,
      nullable: false,
      ...share.of(['resourceType', 'imageName'], ({ resourceType, imageName }) => ({ resourceType, imageName })),
    }),
    status: t.field({ type: ShareStatusEnum, nullable: false, ...share.of(['status'], ({ status }) => status) }),
  }),
});

const shareArguments = {
  ...sortArgument,
  ...searchArgument('the name of the image'),
  ...filterArgument('ImageShare', pendingShareKind.criteria),
};

const connection = connectionOf(ShareType, 'ImageShare', 'pending image shares');

builder.queryField('pendingImageShares', (t) =>
  t.connection(
    {
      type: ShareType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The pending image shares of a workspace. Needs the scope admin.',
      args: { ...shareArguments, ...workspaceArgument },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listPendingShares(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'pendingImageShares', (t) =>
  t.connection(
    {
      type: ShareType,
      nullable: false,
      description: 'Its pending image shares. Needs the scope admin.',
      args: shareArguments,
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listPendingShares(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('offeredImageShares', (t) =>
  t.connection(
    {
      type: ShareType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The image shares that a workspace offers, whatever became of them. Needs the scope admin.',
      args: { ...shareArguments, ...workspaceArgument },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listOfferedShares(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'offeredImageShares', (t) =>
  t.connection(
    {
      type: ShareType,
      nullable: false,
      description: 'The image shares that it offers, whatever became of them. Needs the scope admin.',
      args: shareArguments,
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listOfferedShares(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);
