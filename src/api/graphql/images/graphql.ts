import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { connectionComplexity, orNull } from '../connection.js';
import { countComplexity, countDescription, groupByArgument, GroupCountType } from '../group-counts.js';
import { versionDescription, versionOf } from '../resource.js';
import { connectionOf, namedListArguments } from '../resource-fields.js';
import { foundId, resolveList, searchArgument, sortArgument, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { enumType, objectType } from '../shape-type.js';
import type { Found } from '../../../store/read/found.js';
import { imageGroupings } from '../../../store/read/grouping.js';
import { timestampFromRow } from '../../../store/read/resource-row.js';
import { AccountType, WorkspaceType, workspaceEdge } from '../accounts/graphql.js';
import {
  imageKind,
  imageMetadata,
  imageMetadataColumns,
  imageMetadataOf,
  imageResourceType,
} from '../../../resources/images/image.js';
import type { ImageRow } from '../../../resources/images/image.js';
import { imageTagKind } from '../../../resources/images/image-tag.js';
import type { VersionedTagRow } from '../../../resources/images/image-tag.js';
import { findImageTags, getImageTag, listImageTags } from '../../../resources/images/image-tags.js';
import { countImages, findImages, getImage, listImages, listAccountImages } from '../../../resources/images/images.js';

export const ImageResourceTypeEnum = enumType(imageResourceType);

const ImageMetadataType = objectType(imageMetadata);

const image = rowFields<ImageRow>();

// Its tags are a list of their own, so the spec is seen through the image.
const ImageSpecType = builder.objectRef<Found<ImageRow>>('ImageSpec').implement({
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

export const ImageType = builder.node(builder.objectRef<Found<ImageRow>>('Image'), {
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

export const ImageTagType = builder.node(builder.objectRef<Found<VersionedTagRow>>('ImageTag'), {
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
