import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { EventfulInterface, versionDescription, versionOf } from '../resource.js';
import { connectionOf } from '../resource-fields.js';
import { foundId, resourceOrderArgument, searchArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { enumType, objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import {
  imageShareMetadata,
  imageShareSpec,
  offeredShareKind,
  pendingShareKind,
  shareMetadataColumns,
  shareMetadataOf,
  shareStatus,
} from '../../../resources/images/image-share.js';
import type { ShareRow } from '../../../resources/images/image-share.js';
import { findShares } from '../../../resources/images/image-shares.js';
import { addLists } from '../resource-queries.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { withId } from '../reference.js';
import { addMutation, nonNull } from '../mutation.js';
import { ImageType, imageReferenceFields, imageOf } from './images.js';
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

const shared = {
  type: ShareType,
  connection: connectionOf(ShareType, 'ImageShare', 'pending image shares'),
  args: {
    ...resourceOrderArgument,
    ...searchArgument('the name of the image'),
    ...filterArgument('ImageShare', pendingShareKind.criteria),
  },
};

addLists('pendingImageShares', {
  ...shared,
  kind: pendingShareKind,
  query: 'Pending image shares offered to a workspace.',
  workspace: 'Pending image shares offered to the workspace.',
});

addLists('offeredImageShares', {
  ...shared,
  kind: offeredShareKind,
  query: 'Image shares that a workspace offers, of any status.',
  workspace: 'Image shares that the workspace offers, of any status.',
});

addMutation('shareImage', {
  description:
    'Offers an image to another workspace, possibly of another account. Needs an admin of the workspace of ' +
    'the image.',
  scopes: [['admin']],
  inputDescription: 'The image to share, and the target workspace.',
  input: (t) => ({
    ...imageReferenceFields(t),
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
