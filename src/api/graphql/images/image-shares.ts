import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { connectionComplexity } from '../connection.js';
import { EventfulInterface, versionDescription, versionOf } from '../resource.js';
import { connectionOf } from '../resource-fields.js';
import { foundId, resolveList, resourceOrderArgument, searchArgument, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
import { WorkspaceType } from '../accounts/accounts.js';
import type { PartialResource } from '../../../store/read/resource.js';
import {
  imageShareMetadata,
  imageShareSpec,
  pendingShareKind,
  shareMetadataColumns,
  shareMetadataOf,
  shareStatus,
} from '../../../resources/images/image-share.js';
import type { ShareRow } from '../../../resources/images/image-share.js';
import { findShares, listOfferedShares, listPendingShares } from '../../../resources/images/image-shares.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { withId } from '../address.js';
import { addMutation, nonNull } from '../mutation.js';
import { ImageType, imageAddressFields, imageOf } from './images.js';
import { acceptShare, declineShare, revokeShare, shareImage } from '../../../resources/images/image-share-changes.js';

const ShareStatusEnum = enumType(shareStatus);

const ShareMetadataType = objectType(imageShareMetadata);

const ShareSpecType = objectType(imageShareSpec);

const share = rowFields<ShareRow>();

export const ShareType = builder.node(builder.objectRef<PartialResource<ShareRow>>('ImageShare'), {
  description: 'The offer of an image by one workspace to another, possibly of another account.',
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

const shareListArguments = {
  ...resourceOrderArgument,
  ...searchArgument('the name of the image'),
  ...filterArgument('ImageShare', pendingShareKind.criteria),
};

const connection = connectionOf(ShareType, 'ImageShare', 'pending image shares');

builder.queryField('pendingImageShares', (t) =>
  t.connection(
    {
      type: ShareType,
      // If this root field is refused, the others still return.
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Pending image shares offered to a workspace.',
      args: { ...shareListArguments, ...workspaceArgument },
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
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Pending image shares offered to the workspace.',
      args: shareListArguments,
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
      // If this root field is refused, the others still return.
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Image shares that a workspace offers, of any status.',
      args: { ...shareListArguments, ...workspaceArgument },
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
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Image shares that the workspace offers, of any status.',
      args: shareListArguments,
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listOfferedShares(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

addMutation('shareImage', {
  description:
    'Offers an image to another workspace, possibly of another account. Needs an admin of the workspace of ' +
    'the image.',
  scopes: [['admin']],
  inputDescription: 'The image to share, and the target workspace.',
  input: (t) => ({
    ...imageAddressFields(t),
    targetWorkspace: t.string({ required: true, description: 'Name of the target workspace.' }),
    targetAccount: t.string({
      description: 'Name of the account of the target workspace (default: the account of the image).',
    }),
  }),
  run: async (ctx, input) => ({ imageShare: await shareImage(ctx, imageOf(input)) }),
  payloadDescription: 'The created image share',
  payload: (t) => ({ imageShare: t.expose('imageShare', nonNull(ShareType)) }),
});

function decisionFields(t: InputFields) {
  return {
    id: t.id({ required: true, description: 'Global ID of the image share.' }),
    ...dryRunArgument(t),
    ...versionArgument(t),
  };
}

addMutation('acceptImageShare', {
  description:
    'Accepts a pending image share, and copies the image in its current state to the target workspace. Needs ' +
    'an admin of the target workspace.',
  scopes: [['admin']],
  inputDescription: 'The image share to accept.',
  input: decisionFields,
  run: async (ctx, input) => acceptShare(ctx, withId('ImageShare', input)),
  payloadDescription: 'The accepted image share and the created image',
  payload: (t) => ({
    imageShare: t.expose('imageShare', nonNull(ShareType)),
    image: t.expose('image', nonNull(ImageType, 'The image in the target workspace, with its current tags.')),
  }),
});

addMutation('declineImageShare', {
  description: 'Declines a pending image share. Needs an admin of the target workspace.',
  scopes: [['admin']],
  inputDescription: 'The image share to decline.',
  input: decisionFields,
  run: async (ctx, input) => ({ imageShare: await declineShare(ctx, withId('ImageShare', input)) }),
  payloadDescription: 'The declined image share',
  payload: (t) => ({ imageShare: t.expose('imageShare', nonNull(ShareType)) }),
});

addMutation('revokeImageShare', {
  description: 'Revokes a pending image share. Needs an admin of the workspace that offers it.',
  scopes: [['admin']],
  inputDescription: 'The image share to revoke.',
  input: decisionFields,
  run: async (ctx, input) => ({ imageShare: await revokeShare(ctx, withId('ImageShare', input)) }),
  payloadDescription: 'The revoked image share',
  payload: (t) => ({ imageShare: t.expose('imageShare', nonNull(ShareType)) }),
});
