import { builder } from '../../graphql/builder.js';
import { mutationErrors, resultOf, resultTypeOf } from '../../graphql/mutation.js';
import { EventfulInterface, NamedMetadataInterface } from '../../graphql/resource.js';
import { addNestedFields } from '../../graphql/resource-fields.js';
import { foundId } from '../../graphql/resource-list.js';
import type { Found } from '../resource-kind.js';
import { SandboxType } from './graphql.js';
import type { Preview, PreviewMetadata, PreviewSpec } from './preview.js';
import { deletePreview, findPreviews, getPreview, listPreviews } from './previews.js';

const PreviewMetadataType = builder.objectRef<PreviewMetadata>('SandboxPreviewMetadata').implement({
  description: 'What a preview is called, and what it belongs to.',
  interfaces: [NamedMetadataInterface],
  fields: (t) => ({
    resourceName: t.exposeString('resourceName', { description: 'Name of the sandbox.' }),
    resourceType: t.exposeString('resourceType', { description: 'What it belongs to: sandbox.' }),
  }),
});

const PreviewSpecType = builder.objectRef<PreviewSpec>('SandboxPreviewSpec').implement({
  description: 'What a preview is meant to be.',
  fields: (t) => ({
    customDomain: t.exposeString('customDomain', { description: 'Domain of the account’s own.' }),
    expires: t.expose('expires', { type: 'DateTime', description: 'When it ends.' }),
    port: t.exposeInt('port', { description: 'Port of the sandbox that it shows.' }),
    prefixUrl: t.exposeString('prefixUrl', { description: 'First part of its address.' }),
    public: t.exposeBoolean('public', { description: 'Whether it opens without a token.' }),
    region: t.exposeString('region', { description: 'Region that it is served from.' }),
    requestHeaders: t.expose('requestHeaders', { type: 'JSON', description: 'Headers added to each request.' }),
    responseHeaders: t.expose('responseHeaders', { type: 'JSON', description: 'Headers added to each answer.' }),
    ttl: t.exposeString('ttl', { description: 'How long it lives, as a duration such as 24h.' }),
    url: t.exposeString('url', { description: 'Its address.' }),
  }),
});

const PreviewType = builder.node(builder.objectRef<Found<Preview>>('SandboxPreview'), {
  description: 'An address under which a port of a sandbox can be seen. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findPreviews(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: PreviewMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: PreviewSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addNestedFields(PreviewType, SandboxType, {
  name: 'SandboxPreview',
  field: 'previews',
  one: 'preview',
  many: 'previews',
  scope: 'admin',
  searched: 'name and displayName',
  list: listPreviews,
  get: getPreview,
});

const DeletePreviewPayload = builder
  .objectRef<{ sandboxPreview: Found<Preview> }>('DeleteSandboxPreviewPayload')
  .implement({
    description: 'What deleteSandboxPreview removed.',
    fields: (t) => ({
      sandboxPreview: t.expose('sandboxPreview', {
        type: PreviewType,
        nullable: false,
        description: 'The preview as it was, its events ending with the deletion.',
      }),
    }),
  });

const DeletePreviewResult = builder.unionType('DeleteSandboxPreviewResult', {
  description: 'What deleteSandboxPreview removed, or why it did not.',
  types: [DeletePreviewPayload, ...mutationErrors],
  resolveType: resultTypeOf('DeleteSandboxPreviewPayload'),
});

const DeletePreviewInput = builder.inputType('DeleteSandboxPreviewInput', {
  description: 'Which preview to delete.',
  fields: (t) => ({
    workspace: t.string({ description: 'Name of the workspace, when the header does not say it.' }),
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    previewName: t.string({ required: true, description: 'Name of the preview.' }),
  }),
});

builder.mutationField('deleteSandboxPreview', (t) =>
  t.field({
    type: DeletePreviewResult,
    nullable: false,
    description: 'Deletes a preview of a sandbox. Needs the scope admin.',
    args: { input: t.arg({ type: DeletePreviewInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { workspace, sandboxName: sandbox, previewName: preview } = input;
        return { sandboxPreview: await deletePreview(ctx, { workspace, sandbox, preview }) };
      }),
  }),
);
