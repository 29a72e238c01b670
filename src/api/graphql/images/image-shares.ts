import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
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
import { resultOf, resultType } from '../mutation.js';
import { ImageType, imageAddressFields, imageOf } from './images.js';
import { acceptShare, declineShare, revokeShare, shareImage } from '../../../resources/images/image-share-changes.js';
import type { ImageRow } from '../../../resources/images/image.js';

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

interface SharePayload {
  imageShare: PartialResource<ShareRow>;
}

const ShareResult = resultType<SharePayload>('ShareImage', 'The created image share', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const ShareInput = builder.inputType('ShareImageInput', {
  description: 'The image to share, and the target workspace.',
  fields: (t) => ({
    ...imageAddressFields(t),
    targetWorkspace: t.string({ required: true, description: 'Name of the target workspace.' }),
    targetAccount: t.string({
      description: 'Name of the account of the target workspace (default: the account of the image).',
    }),
  }),
});

builder.mutationField('shareImage', (t) =>
  t.field({
    type: ShareResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Offers an image to another workspace, possibly of another account. Needs an admin of the workspace of ' +
      'the image.',
    args: {
      input: t.arg({ type: ShareInput, required: true, description: 'The image to share, and the target workspace.' }),
    },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ imageShare: await shareImage(ctx, imageOf(input)) })),
  }),
);

type Fields = Parameters<typeof dryRunArgument>[0];

function decisionFields(t: Fields) {
  return {
    id: t.id({ required: true, description: 'Global ID of the image share.' }),
    ...dryRunArgument(t),
    ...versionArgument(t),
  };
}

const AcceptResult = resultType<SharePayload & { image: PartialResource<ImageRow> }>(
  'AcceptImageShare',
  'The accepted image share and the created image',
  (t) => ({
    imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
    image: t.expose('image', {
      type: ImageType,
      nullable: false,
      description: 'The image in the target workspace, with its current tags.',
    }),
  }),
);

const AcceptInput = builder.inputType('AcceptImageShareInput', {
  description: 'The image share to accept.',
  fields: decisionFields,
});

builder.mutationField('acceptImageShare', (t) =>
  t.field({
    type: AcceptResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Accepts a pending image share, and copies the image in its current state to the target workspace. Needs ' +
      'an admin of the target workspace.',
    args: { input: t.arg({ type: AcceptInput, required: true, description: 'The image share to accept.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => acceptShare(ctx, withId('ImageShare', input))),
  }),
);

const DeclineResult = resultType<SharePayload>('DeclineImageShare', 'The declined image share', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const DeclineInput = builder.inputType('DeclineImageShareInput', {
  description: 'The image share to decline.',
  fields: decisionFields,
});

builder.mutationField('declineImageShare', (t) =>
  t.field({
    type: DeclineResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: 'Declines a pending image share. Needs an admin of the target workspace.',
    args: { input: t.arg({ type: DeclineInput, required: true, description: 'The image share to decline.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ imageShare: await declineShare(ctx, withId('ImageShare', input)) })),
  }),
);

const RevokeResult = resultType<SharePayload>('RevokeImageShare', 'The revoked image share', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const RevokeInput = builder.inputType('RevokeImageShareInput', {
  description: 'The image share to revoke.',
  fields: decisionFields,
});

builder.mutationField('revokeImageShare', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: 'Revokes a pending image share. Needs an admin of the workspace that offers it.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'The image share to revoke.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ imageShare: await revokeShare(ctx, withId('ImageShare', input)) })),
  }),
);
