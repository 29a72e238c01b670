import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, keepsPayload, resultOf, resultType } from '../mutation.js';
import { inputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { ImageResourceTypeEnum, ImageTagType, ImageType } from './graphql.js';
import { deleteImage } from '../../../resources/images/image-changes.js';
import { deleteImageTag, registerImageTag } from '../../../resources/images/image-tag-changes.js';
import type { ImageAndTag } from '../../../resources/images/image-tag-changes.js';
import type { ImageRow } from '../../../resources/images/image.js';
import { pushedTag } from '../../../resources/images/image-tag.js';

type Fields = Parameters<typeof changeArguments>[0];

/** Which image: a name is unique among those of one resource type. */
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
    extensions: keepsPayload,
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
    extensions: keepsPayload,
    args: { input: t.arg({ type: DeleteTagInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(() => deleteImageTag(ctx, input)),
  }),
);

const DeleteResult = resultType<{ image: Found<ImageRow> }>('DeleteImage', 'What deleteImage removed', (t) => ({
  image: t.expose('image', { type: ImageType, nullable: false, description: 'As it was.' }),
}));

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
    extensions: keepsAnswer('image'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ image: await deleteImage(ctx, input) })),
  }),
);
