import { builder } from '../../graphql/builder.js';
import { orNull } from '../../graphql/connection.js';
import { enumValues } from '../../graphql/enums.js';
import { CoreEventType } from '../../graphql/resource.js';
import { addNestedFields, addWorkspaceList } from '../../graphql/resource-fields.js';
import { foundId, searchArgument, selectedColumns, workspaceArgument } from '../../graphql/resource-list.js';
import { selectedPaths } from '../../graphql/selection.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import { imageResourceTypes } from './image.js';
import type { Image, ImageMetadata } from './image.js';
import type { ImageTag } from './image-tag.js';
import { findImages, findImageTags, getImage, getImageTag, listImages, listImageTags } from './images.js';

export const ImageResourceTypeEnum = builder.enumType('ImageResourceType', {
  description: 'What an image is deployed as.',
  values: enumValues(imageResourceTypes),
});

const ImageMetadataType = builder.objectRef<ImageMetadata>('ImageMetadata').implement({
  description: 'What an image is called, and its times.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique within workspace and resource type.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    resourceType: t.expose('resourceType', { type: ImageResourceTypeEnum, nullable: false }),
    workspace: t.exposeString('workspace', { description: 'Name of the workspace that it is in.' }),
    sourceWorkspace: t.exposeString('sourceWorkspace', { description: 'The workspace that shared it, if one did.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    lastDeployedAt: t.expose('lastDeployedAt', { type: 'DateTime', description: 'When it was deployed last.' }),
    events: t.field({
      type: [CoreEventType],
      nullable: { list: false, items: false },
      description: 'What happened to it, oldest first: the newest hundred.',
      resolve: ({ events }) => events ?? [],
    }),
  }),
});

// Its tags are a list of their own, so the spec is seen through the image.
const ImageSpecType = builder.objectRef<Found<Image>>('ImageSpec').implement({
  description: 'What an image holds.',
  fields: (t) => ({
    size: t.float({
      nullable: false,
      description: 'Bytes, of all tags together; a whole number.',
      resolve: ({ resource }) => resource.spec.size,
    }),
  }),
});

const ImageType = builder.node(builder.objectRef<Found<Image>>('Image'), {
  description: 'A container image. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findImages(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: ImageMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: ImageSpecType, nullable: false, resolve: (image) => image }),
  }),
});

const ImageTagType = builder.node(builder.objectRef<Found<ImageTag>>('ImageTag'), {
  description: 'A tag of a container image. Needs the scope admin.',
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findImageTags(ctx, ids),
  fields: (t) => ({
    name: t.string({ nullable: false, resolve: ({ resource }) => resource.name }),
    size: t.float({
      nullable: false,
      description: 'Bytes; a whole number.',
      resolve: ({ resource }) => resource.size,
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ resource }) => resource.createdAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: ({ resource }) => resource.updatedAt }),
  }),
});

addNestedFields(ImageTagType, ImageSpecType, {
  name: 'ImageTag',
  field: 'tags',
  one: 'tag',
  many: 'tags',
  scope: 'admin',
  searched: 'their names',
  list: listImageTags,
  get: getImageTag,
});

addWorkspaceList(ImageType, WorkspaceType, {
  name: 'Image',
  field: 'images',
  many: 'images',
  scope: 'admin',
  search: searchArgument('name and displayName'),
  list: listImages,
});

builder.queryField('image', (t) =>
  t.field({
    type: ImageType,
    description: 'One image by its resource type and name; null when there is none. Needs the scope admin.',
    args: {
      resourceType: t.arg({ type: ImageResourceTypeEnum, required: true, description: 'What it is deployed as.' }),
      name: t.arg.string({ required: true }),
      ...workspaceArgument,
    },
    resolve: (_root, { resourceType, name, workspace }, ctx, info) =>
      orNull(getImage(ctx, resourceType, { name, workspace, columns: selectedColumns(selectedPaths(info)) })),
  }),
);
