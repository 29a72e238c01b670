import { referenceOf, parentNameField, resourceReferenceFields } from '../reference.js';
import type { ReferenceInput } from '../reference.js';
import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity, orNull } from '../connection.js';
import { groupByArgument } from '../group-counts.js';
import { versionDescription, versionOf } from '../resource.js';
import { connectionOf, namedListArguments } from '../resource-fields.js';
import { foundId, resolveList, resourceOrderArgument, searchArgument, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { enumType, objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { imageGroupings } from '../../../store/read/grouping.js';
import { timestampFromJson } from '../../../schema/resource.js';
import { workspaceEdge } from '../accounts/accounts.js';
import {
  imageKind,
  imageKindsByType,
  imageMetadata,
  imageMetadataColumns,
  imageMetadataOf,
  imageResourceType,
} from '../../../resources/images/image.js';
import type { ImageResourceType, ImageRow } from '../../../resources/images/image.js';
import { imageTagKind, pushedTag } from '../../../resources/images/image-tag.js';
import type { VersionedTagRow } from '../../../resources/images/image-tag.js';
import { addCounts, addLists } from '../resource-queries.js';
import { findResources, getChild, getResource, listChildren } from '../../../resources/resource-reads.js';
import { changeArguments, dryRunArgument, versionArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputType } from '../shape-input.js';
import { deleteImage } from '../../../resources/images/image-changes.js';
import { deleteImageTag, registerImageTag } from '../../../resources/images/image-tag-changes.js';

export const ImageResourceTypeEnum = enumType(imageResourceType);

const ImageMetadataType = objectType(imageMetadata);

const image = rowFields<ImageRow>();

// The tags of an image are a separate list, so the spec has the image as its parent.
const ImageSpecType = builder.objectRef<PartialResource<ImageRow>>('ImageSpec').implement({
  description: 'Size and tags of an image.',
  fields: (t) => ({
    size: t.field({
      type: 'Bytes',
      nullable: false,
      description: 'Total size of all tags (bytes).',
      ...image.of(['size'], ({ size }) => size),
    }),
  }),
});

export const ImageType = builder.node(builder.objectRef<PartialResource<ImageRow>>('Image'), {
  interfaces: [NamedInterface],
  description: 'A container image.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, imageKind, ids),
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
  interfaces: [NamedInterface],
  description: 'A tag of a container image.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, imageTagKind, ids),
  fields: (t) => ({
    workspace: t.field(workspaceEdge),
    version: t.int({ nullable: false, description: versionDescription, ...tag.of(['version'], versionOf) }),
    name: t.string({
      nullable: false,
      description: 'Name of the tag, unique within the image.',
      ...tag.of(['name'], ({ name }) => name),
    }),
    size: t.field({
      type: 'Bytes',
      nullable: false,
      description: 'Size of the tag (bytes).',
      ...tag.of(['size'], ({ size }) => size),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time the tag was created.',
      ...tag.of(['createdAt'], ({ createdAt }) => timestampFromJson(createdAt)),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time of the last update.',
      ...tag.of(['updatedAt'], ({ updatedAt }) => timestampFromJson(updatedAt)),
    }),
  }),
});

const tagConnection = connectionOf(ImageTagType, 'ImageTag', 'tags');

builder.objectField(ImageSpecType, 'tag', (t) =>
  t.field({
    type: ImageTagType,
    extensions: requiresScopes([['admin']]),
    description: 'A tag of the image by name, or null if there is no tag of this name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the tag.' }) },
    resolve: (owner, { name }, ctx, info) =>
      orNull(getChild(ctx, imageTagKind, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(ImageSpecType, 'tags', (t) =>
  t.connection(
    {
      type: ImageTagType,
      nullable: false,
      extensions: requiresScopes([['admin']]),
      description: 'Tags of the image.',
      args: {
        ...resourceOrderArgument,
        ...searchArgument('the name of the tag'),
        ...filterArgument('ImageTag', imageTagKind.criteria),
      },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listChildren(ctx, imageTagKind, owner, { ...input, isOneOfMany: true })),
    },
    tagConnection,
  ),
);

const filter = filterArgument('Image', imageKind.criteria);

addLists('images', {
  type: ImageType,
  kind: imageKind,
  connection: connectionOf(ImageType, 'Image', 'images'),
  args: { ...namedListArguments, ...filter },
  query: 'Images of a workspace.',
  workspace: 'Images of the workspace.',
  account: 'Images in all accessible workspaces of the account, as one list.',
});

builder.queryField('image', (t) =>
  t.field({
    type: ImageType,
    extensions: requiresScopes([['admin']]),
    description: 'An image by resource type and name, or null if there is none.',
    args: {
      resourceType: t.arg({
        type: ImageResourceTypeEnum,
        required: true,
        description: 'Resource type that the image is deployed as.',
      }),
      name: t.arg.string({ required: true, description: 'Name of the image.' }),
      ...workspaceArgument,
    },
    resolve: (_root, { resourceType, name, workspace }, ctx, info) =>
      orNull(getResource(ctx, imageKindsByType[resourceType], { name, workspace, columns: selectedColumns(info) })),
  }),
);

addCounts('imageCounts', {
  kind: imageKind,
  many: 'images',
  args: { ...groupByArgument('Image', imageGroupings), search: namedListArguments.search, ...filter },
});

/** The fields that refer to an image. Its name is unique within its resource type. */
export function imageReferenceFields(t: InputFields) {
  return { ...dryRunArgument(t), ...resourceReferenceFields(t, 'image'), ...resourceTypeField(t) };
}

function resourceTypeField(t: InputFields) {
  const description = 'Resource type that the image is deployed as. Required without `id`.';
  return { resourceType: t.field({ type: ImageResourceTypeEnum, description }) };
}

interface ImageInput extends ReferenceInput {
  resourceType?: ImageResourceType | null | undefined;
}

export function imageOf<Input extends ImageInput>(input: Input) {
  const { resourceType, name } = input;
  return { ...input, ...referenceOf('Image', input, { resourceType, name }) };
}

addMutation('registerImageTag', {
  description:
    'Registers a tag that was pushed to a registry. Creates the image if it does not exist; an existing tag ' +
    'is updated to the new push.',
  scopes: [['admin']],
  inputDescription: 'The push to a registry.',
  argumentDescription: 'The pushed tag.',
  input: (t) => ({
    ...changeArguments(t),
    resourceType: t.field({
      type: ImageResourceTypeEnum,
      required: true,
      description: 'Resource type that the image is deployed as.',
    }),
    imageName: t.string({ required: true, description: 'Name of the image.' }),
    displayName: t.string({
      description: 'Display name of the image (at most 63 characters). Absent keeps it, null removes it.',
    }),
    tag: t.field({ type: inputType(pushedTag), required: true, description: 'The pushed tag.' }),
  }),
  run: (ctx, input) => registerImageTag(ctx, input),
  payloadDescription: 'The image and the registered tag',
  payload: (t) => ({
    image: t.expose('image', nonNull(ImageType, 'The image after the change.')),
    imageTag: t.expose('imageTag', nonNull(ImageTagType, 'The registered tag.')),
  }),
});

addMutation('deleteImageTag', {
  description: 'Deletes a tag of an image. The image is kept, even without tags.',
  scopes: [['admin']],
  inputDescription: 'The tag to delete.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...resourceReferenceFields(t, 'tag'),
    ...resourceTypeField(t),
    imageName: parentNameField(t, 'image'),
  }),
  run: async (ctx, input) => {
    const { resourceType, imageName, name } = input;
    return deleteImageTag(ctx, { ...input, ...referenceOf('ImageTag', input, { resourceType, imageName, name }) });
  },
  payloadDescription: 'The image and the deleted tag',
  payload: (t) => ({
    image: t.expose('image', nonNull(ImageType, 'The image after the change.')),
    imageTag: t.expose('imageTag', nonNull(ImageTagType, 'The deleted tag.')),
  }),
});

addMutation('deleteImage', {
  description: 'Deletes an image with all its tags. Fails if a share of the image is pending.',
  scopes: [['admin']],
  inputDescription: 'The image to delete.',
  input: (t) => ({ ...imageReferenceFields(t), ...versionArgument(t) }),
  run: async (ctx, input) => ({ image: await deleteImage(ctx, imageOf(input)) }),
  payloadDescription: 'The deleted image',
  payload: (t) => ({ image: t.expose('image', nonNull(ImageType, 'The deleted image.')) }),
});
