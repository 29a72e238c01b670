import { builder } from '../../graphql/builder.js';
import { enumValues } from '../../graphql/enums.js';
import { resourceIdOf } from '../../graphql/global-id.js';
import { mutationErrors, resultOf, resultTypeOf } from '../../graphql/mutation.js';
import { EventfulInterface } from '../../graphql/resource.js';
import { addWorkspaceList } from '../../graphql/resource-fields.js';
import { foundId, searchArgument } from '../../graphql/resource-list.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import { ImageResourceTypeEnum } from './graphql.js';
import { shareStatuses } from './image-share.js';
import type { ImageShare } from './image-share.js';
import { declineShare, findShares, listPendingShares } from './image-shares.js';

const ShareStatusEnum = builder.enumType('ImageShareStatus', {
  description: 'What became of an image share.',
  values: enumValues(shareStatuses),
});

const ShareMetadataType = builder.objectRef<ImageShare['metadata']>('ImageShareMetadata').implement({
  description: 'Who offered an image to whom, and who decided.',
  fields: (t) => ({
    id: t.exposeString('id', { nullable: false, description: 'The id that REST knows it by.' }),
    workspace: t.exposeString('workspace', { description: 'The workspace that it is offered to.' }),
    sourceAccount: t.exposeString('sourceAccount', { description: 'The account that offers it.' }),
    sourceWorkspace: t.exposeString('sourceWorkspace', { description: 'The workspace that offers it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    createdBy: t.exposeString('createdBy', { description: 'Who offered it.' }),
    updatedBy: t.exposeString('updatedBy', { description: 'Who changed it last.' }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', description: 'When it was accepted or declined.' }),
    decidedBy: t.exposeString('decidedBy', { description: 'Who accepted or declined it.' }),
  }),
});

const ShareSpecType = builder.objectRef<ImageShare['spec']>('ImageShareSpec').implement({
  description: 'The image that is offered.',
  fields: (t) => ({
    resourceType: t.expose('resourceType', { type: ImageResourceTypeEnum, nullable: false }),
    imageName: t.exposeString('imageName', { nullable: false, description: 'Name of the image.' }),
  }),
});

const ShareType = builder.node(builder.objectRef<Found<ImageShare>>('ImageShare'), {
  description: 'An image that one workspace offers to another, often of another account. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findShares(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: ShareMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: ShareSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
    status: t.field({ type: ShareStatusEnum, nullable: false, resolve: ({ resource }) => resource.status }),
  }),
});

addWorkspaceList(ShareType, WorkspaceType, {
  name: 'ImageShare',
  field: 'pendingImageShares',
  many: 'pending image shares',
  scope: 'admin',
  search: searchArgument('the name of the image'),
  list: listPendingShares,
});

const DeclinePayload = builder.objectRef<{ imageShare: Found<ImageShare> }>('DeclineImageSharePayload').implement({
  description: 'What declineImageShare declined.',
  fields: (t) => ({ imageShare: t.expose('imageShare', { type: ShareType, nullable: false }) }),
});

const DeclineResult = builder.unionType('DeclineImageShareResult', {
  description: 'What declineImageShare declined, or why it did not.',
  types: [DeclinePayload, ...mutationErrors],
  resolveType: resultTypeOf('DeclineImageSharePayload'),
});

const DeclineInput = builder.inputType('DeclineImageShareInput', {
  description: 'Which share to decline.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

builder.mutationField('declineImageShare', (t) =>
  t.field({
    type: DeclineResult,
    nullable: false,
    description: 'Declines a pending image share. Needs an admin of the target workspace, and the scope admin.',
    args: { input: t.arg({ type: DeclineInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ imageShare: await declineShare(ctx, resourceIdOf('ImageShare', input.id)) })),
  }),
);
