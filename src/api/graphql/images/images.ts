import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { connectionComplexity, orNull } from '../connection.js';
import { GroupCountType, countComplexity, countDescription, groupByArgument } from '../group-counts.js';
import { versionDescription, versionOf } from '../resource.js';
import { connectionOf, namedListArguments } from '../resource-fields.js';
import { foundId, resolveList, searchArgument, sortArgument, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { enumType, objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { imageGroupings } from '../../../store/read/grouping.js';
import { timestampFromRow } from '../../../store/read/resource-row.js';
import { AccountType, WorkspaceType, workspaceEdge } from '../accounts/accounts.js';
import {
  imageKind,
  imageMetadata,
  imageMetadataColumns,
  imageMetadataOf,
  imageResourceType,
} from '../../../resources/images/image.js';
import type { ImageRow } from '../../../resources/images/image.js';
import { imageTagKind, pushedTag } from '../../../resources/images/image-tag.js';
import type { VersionedTagRow } from '../../../resources/images/image-tag.js';
import { findImageTags, getImageTag, listImageTags } from '../../../resources/images/image-tags.js';
import { countImages, findImages, getImage, listAccountImages, listImages } from '../../../resources/images/images.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { inputType } from '../shape-input.js';
import { deleteImage } from '../../../resources/images/image-changes.js';
import { deleteImageTag, registerImageTag } from '../../../resources/images/image-tag-changes.js';
import type { ImageAndTag } from '../../../resources/images/image-tag-changes.js';

export const ImageResourceTypeEnum = enumType(imageResourceType);

const ImageMetadataType = objectType(imageMetadata);

const image = rowFields<ImageRow>();

// Its tags are a list of their own, so the spec is seen through the image.
const ImageSpecType = builder.objectRef<PartialResource<ImageRow>>('ImageSpec').implement({
  description: 'What an image holds.',
  fields: (t) => ({
    size: t.field({
      type: 'Bytes',
      nullable: false,
      description: 'That of all tags together.',
      ...image.of(['size'], ({ size }) => size),
    }),
  }),
});

export const ImageType = builder.node(builder.objectRef<PartialResource<ImageRow>>('Image'), {
  description: 'A container image. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findImages(ctx, ids),
  fields: (t) => ({
    workspace: t.field(workspaceEdge),
    version: t.int({ nullable: false, description: versionDescription, ...image.of(['version'], versionOf) }),
    metadata: t.field({
      type: ImageMetadataType,
      nullable: false,
      ...image.part(['name', 'resourceType', 'events'], imageMetadataColumns, (row, found) =>
        imageMetadataOf(found, row),
      ),
    }),
    spec: t.field({ type: ImageSpecType, nullable: false, ...image.same() }),
  }),
});

const tag = rowFields<VersionedTagRow>();

export const ImageTagType = builder.node(builder.objectRef<PartialResource<VersionedTagRow>>('ImageTag'), {
  description: 'A tag of a container image. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findImageTags(ctx, ids),
  fields: (t) => ({
    workspace: t.field(workspaceEdge),
    version: t.int({ nullable: false, description: versionDescription, ...tag.of(['version'], versionOf) }),
    name: t.string({
      nullable: false,
      description: 'Unique within the image.',
      ...tag.of(['name'], ({ name }) => name),
    }),
    size: t.field({
      type: 'Bytes',
      nullable: false,
      description: 'How large it is.',
      ...tag.of(['size'], ({ size }) => size),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      ...tag.of(['createdAt'], ({ createdAt }) => timestampFromRow(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was changed last.',
      ...tag.of(['updatedAt'], ({ updatedAt }) => timestampFromRow(updatedAt)),
    }),
  }),
});

const tagConnection = connectionOf(ImageTagType, 'ImageTag', 'tags');

builder.objectField(ImageSpecType, 'tag', (t) =>
  t.field({
    type: ImageTagType,
    description: 'One of its tags by name; null when there is none. Needs the scope admin.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: (owner, { name }, ctx, info) => orNull(getImageTag(ctx, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(ImageSpecType, 'tags', (t) =>
  t.connection(
    {
      type: ImageTagType,
      nullable: false,
      description: 'Its tags. Needs the scope admin.',
      args: { ...sortArgument, ...searchArgument('their names'), ...filterArgument('ImageTag', imageTagKind.criteria) },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listImageTags(ctx, owner, { ...input, isOneOfMany: true })),
    },
    tagConnection,
  ),
);

const filter = filterArgument('Image', imageKind.criteria);

const connection = connectionOf(ImageType, 'Image', 'images');

builder.queryField('images', (t) =>
  t.connection(
    {
      type: ImageType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The images of a workspace. Needs the scope admin.',
      args: { ...namedListArguments, ...filter, ...workspaceArgument },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listImages(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'images', (t) =>
  t.connection(
    {
      type: ImageType,
      nullable: false,
      description: 'Its images. Needs the scope admin.',
      args: { ...namedListArguments, ...filter },
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listImages(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('image', (t) =>
  t.field({
    type: ImageType,
    description: 'One image by its resource type and name; null when there is none. Needs the scope admin.',
    args: {
      resourceType: t.arg({ type: ImageResourceTypeEnum, required: true, description: 'What it is deployed as.' }),
      name: t.arg.string({ required: true, description: 'Its name.' }),
      ...workspaceArgument,
    },
    resolve: (_root, { resourceType, name, workspace }, ctx, info) =>
      orNull(getImage(ctx, resourceType, { name, workspace, columns: selectedColumns(info) })),
  }),
);

builder.objectField(AccountType, 'images', (t) =>
  t.connection(
    {
      type: ImageType,
      nullable: true,
      description: 'The images in all of its workspaces within reach, as one list. Needs the scope admin.',
      args: { ...namedListArguments, ...filter },
      complexity: connectionComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountImages(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

const counted = { ...groupByArgument('Image', imageGroupings), search: namedListArguments.search, ...filter };

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('images', 'admin'),
  complexity: countComplexity,
} as const;

builder.queryField('imageCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, ...workspaceArgument },
    resolve: (_root, args, ctx) => countImages(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'imageCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: counted,
    resolve: ({ name }, args, ctx) => countImages(ctx, { ...args, workspace: name }),
  }),
);

type Fields = Parameters<typeof changeArguments>[0];

/** The arguments that select an image. Its name is unique within its resource type. */
export function imageArguments(t: Fields) {
  return {
    ...changeArguments(t),
    resourceType: t.field({
      type: ImageResourceTypeEnum,
      required: true,
      description: 'What the image is deployed as.',
    }),
    imageName: t.string({ required: true, description: 'Name of the image.' }),
  };
}

const RegisterResult = resultType<ImageAndTag>('RegisterImageTag', 'What registerImageTag noted', (t) => ({
  image: t.expose('image', { type: ImageType, nullable: false, description: 'The image as it now is.' }),
  imageTag: t.expose('imageTag', { type: ImageTagType, nullable: false, description: 'The tag as it now is.' }),
}));

const RegisterInput = builder.inputType('RegisterImageTagInput', {
  description: 'What a registry reports of a push.',
  fields: (t) => ({
    ...imageArguments(t),
    tag: t.field({ type: inputType(pushedTag), required: true, description: 'What was pushed.' }),
  }),
});

builder.mutationField('registerImageTag', (t) =>
  t.field({
    type: RegisterResult,
    nullable: false,
    description:
      'Notes that a tag was pushed to a registry. The image is made when it is new; a tag that is there leads to what ' +
      'was pushed now. Needs the scope admin.',
    args: { input: t.arg({ type: RegisterInput, required: true, description: 'What was pushed.' }) },
    resolve: (_root, { input }, ctx) => resultOf(() => registerImageTag(ctx, input)),
  }),
);

const DeleteTagResult = resultType<ImageAndTag>('DeleteImageTag', 'What deleteImageTag removed', (t) => ({
  image: t.expose('image', { type: ImageType, nullable: false, description: 'The image as it now is.' }),
  imageTag: t.expose('imageTag', { type: ImageTagType, nullable: false, description: 'The tag as it was.' }),
}));

const DeleteTagInput = builder.inputType('DeleteImageTagInput', {
  description: 'Which tag to delete.',
  fields: (t) => ({
    ...imageArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the tag.' }),
  }),
});

builder.mutationField('deleteImageTag', (t) =>
  t.field({
    type: DeleteTagResult,
    nullable: false,
    description: 'Deletes a tag of an image. The image stays, even without any. Needs the scope admin.',
    args: { input: t.arg({ type: DeleteTagInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(() => deleteImageTag(ctx, input)),
  }),
);

const DeleteResult = resultType<{ image: PartialResource<ImageRow> }>(
  'DeleteImage',
  'What deleteImage removed',
  (t) => ({
    image: t.expose('image', { type: ImageType, nullable: false, description: 'As it was.' }),
  }),
);

const DeleteInput = builder.inputType('DeleteImageInput', {
  description: 'Which image to delete.',
  fields: (t) => ({ ...imageArguments(t), ...versionArgument(t) }),
});

builder.mutationField('deleteImage', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description:
      'Deletes an image with all its tags, unless it is offered to another workspace that has not decided. ' +
      'Needs the scope admin.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ image: await deleteImage(ctx, input) })),
  }),
);
