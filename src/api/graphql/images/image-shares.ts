import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { EventfulInterface, versionDescription, versionOf } from '../resource.js';
import { connectionOf } from '../resource-fields.js';
import { foundId, resolveList, searchArgument, sortArgument, workspaceArgument } from '../resource-list.js';
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
import { changeArguments, versionArgument } from '../change-arguments.js';
import { resourceIdOf } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { ImageType, imageArguments } from './images.js';
import { acceptShare, declineShare, revokeShare, shareImage } from '../../../resources/images/image-share-changes.js';
import type { ImageRow } from '../../../resources/images/image.js';

const ShareStatusEnum = enumType(shareStatus);

const ShareMetadataType = objectType(imageShareMetadata);

const ShareSpecType = objectType(imageShareSpec);

const share = rowFields<ShareRow>();

export const ShareType = builder.node(builder.objectRef<PartialResource<ShareRow>>('ImageShare'), {
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

const shareListArguments = {
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
      nullable: false,
      description: 'Its pending image shares. Needs the scope admin.',
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
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The image shares that a workspace offers, whatever became of them. Needs the scope admin.',
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
      nullable: false,
      description: 'The image shares that it offers, whatever became of them. Needs the scope admin.',
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

const ShareResult = resultType<SharePayload>('ShareImage', 'What shareImage offered', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const ShareInput = builder.inputType('ShareImageInput', {
  description: 'Which image to offer, and to whom.',
  fields: (t) => ({
    ...imageArguments(t),
    targetWorkspace: t.string({ required: true, description: 'Name of the workspace that it is offered to.' }),
    targetAccount: t.string({ description: 'Name of the account that has that workspace; its own when left out.' }),
  }),
});

builder.mutationField('shareImage', (t) =>
  t.field({
    type: ShareResult,
    nullable: false,
    description:
      'Offers an image to another workspace, often of another account. Needs an admin of the workspace that has it, ' +
      'and the scope admin.',
    args: { input: t.arg({ type: ShareInput, required: true, description: 'Which one, and to whom.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ imageShare: await shareImage(ctx, input) })),
  }),
);

type Fields = Parameters<typeof changeArguments>[0];

function decisionFields(t: Fields) {
  return {
    id: t.id({ required: true, description: 'Its global id.' }),
    validateOnly: changeArguments(t).validateOnly,
    ...versionArgument(t),
  };
}

/** A decision on a share, whose global id may be that of something else. */
function decisionOf<Input extends { id: string }>(input: Input): Input {
  return { ...input, id: resourceIdOf('ImageShare', input.id) };
}

const AcceptResult = resultType<SharePayload & { image: PartialResource<ImageRow> }>(
  'AcceptImageShare',
  'What acceptImageShare accepted',
  (t) => ({
    imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
    image: t.expose('image', {
      type: ImageType,
      nullable: false,
      description: 'The image in the target workspace, with the tags of now.',
    }),
  }),
);

const AcceptInput = builder.inputType('AcceptImageShareInput', {
  description: 'Which share to accept.',
  fields: decisionFields,
});

builder.mutationField('acceptImageShare', (t) =>
  t.field({
    type: AcceptResult,
    nullable: false,
    description:
      'Accepts a pending image share: the image is in the target workspace from then on, as a copy of what it is now. ' +
      'Needs an admin of the target workspace, and the scope admin.',
    args: { input: t.arg({ type: AcceptInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => acceptShare(ctx, decisionOf(input))),
  }),
);

const DeclineResult = resultType<SharePayload>('DeclineImageShare', 'What declineImageShare declined', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const DeclineInput = builder.inputType('DeclineImageShareInput', {
  description: 'Which share to decline.',
  fields: decisionFields,
});

builder.mutationField('declineImageShare', (t) =>
  t.field({
    type: DeclineResult,
    nullable: false,
    description: 'Declines a pending image share. Needs an admin of the target workspace, and the scope admin.',
    args: { input: t.arg({ type: DeclineInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ imageShare: await declineShare(ctx, decisionOf(input)) })),
  }),
);

const RevokeResult = resultType<SharePayload>('RevokeImageShare', 'What revokeImageShare took back', (t) => ({
  imageShare: t.expose('imageShare', { type: ShareType, nullable: false }),
}));

const RevokeInput = builder.inputType('RevokeImageShareInput', {
  description: 'Which share to take back.',
  fields: decisionFields,
});

builder.mutationField('revokeImageShare', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    description:
      'Takes back an image share that waits for a decision. Needs an admin of the workspace that offers it, and the ' +
      'scope admin.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ imageShare: await revokeShare(ctx, decisionOf(input)) })),
  }),
);
