import { z } from 'zod';
import { quoted } from '../../../errors.js';
import { listedKinds } from '../kind-documents.js';
import { ToolError } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import {
  fittingPage,
  hasMore,
  inputItemsMax,
  kindInput,
  listedIn,
  mapIn,
  nameInput,
  pageInput,
  withoutEmpty,
} from '../tool-result.js';

const filtered = listedKinds.flatMap(({ name, isFiltered }) => (isFiltered ? [name] : [])).join(', ');
const unsearched = listedKinds.flatMap(({ name, isSearched }) => (isSearched ? [] : [name])).join(', ');

export const listResources = defineTool({
  name: 'list_resources',
  title: 'List resources',
  description:
    'Lists the resources of one kind, newest first: those of a workspace, or those inside of a parent ' +
    `(${listedKinds.flatMap(({ name, parent }) => (parent === undefined ? [] : [`${name} of a ${parent.name}`])).join(', ')}).`,
  input: z.strictObject({
    kind: kindInput(listedKinds.map(({ name }) => name)).describe('The kind to list.'),
    workspace: nameInput.optional().describe('Name of the workspace. Required for all kinds except Workspace.'),
    parent: nameInput
      .optional()
      .describe('Name of the parent. Required for the kinds that have one, and only for them.'),
    search: z.string().max(200).optional().describe(`Text to find in names and labels (not for ${unsearched}).`),
    statuses: z
      .array(nameInput)
      .max(inputItemsMax)
      .optional()
      .describe(`Only resources with one of these statuses, such as FAILED (${filtered} only).`),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe(`Only resources with all these labels (${filtered} only).`),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (call, { kind, workspace, parent, search, statuses, labels = {}, first, after, maxBytes }) => {
    const listed = listedKinds.find(({ name }) => name === kind);
    if (listed === undefined) throw new Error(`The kind ${kind} is not listed.`);
    const { parent: parentKind } = listed;
    if (parentKind !== undefined && parent === undefined) {
      throw new ToolError(
        'invalid_parameter',
        `parent is required: the name of the ${parentKind.name} that contains them.`,
      );
    }
    // Some assistants send an empty text for an input that they do not set.
    if (parentKind === undefined && parent) {
      throw new ToolError('invalid_parameter', `parent is not available for the kind ${kind}, which has none.`);
    }
    if (search && !listed.isSearched) {
      throw new ToolError('invalid_parameter', `search is not available for the kind ${kind}.`);
    }
    const matched = Object.entries(labels);
    const isFiltered = statuses !== undefined || matched.length > 0;
    if (isFiltered && !listed.isFiltered) {
      throw new ToolError('invalid_parameter', `statuses and labels are only available for ${filtered}.`);
    }
    const filter = {
      ...(statuses === undefined ? {} : { status: { in: statuses } }),
      ...(matched.length === 0 ? {} : { labels: matched.map(([key, value]) => ({ key, in: [value] })) }),
    };
    const variables = { workspace, parent, search, first, after, ...(isFiltered ? { filter } : {}) };
    const { data } = await call.executeText(listed.document, { variables });
    if (parentKind !== undefined && data['parent'] === null) {
      throw new ToolError('not_found', `There is no ${parentKind.label} named ${quoted(parent)} here.`);
    }
    const page = mapIn(parentKind === undefined ? data['page'] : mapIn(data['parent'])['page']);
    const items = listedIn(page, ({ metadata, spec, ...node }) =>
      withoutEmpty({ ...node, ...mapIn(metadata), ...mapIn(spec) }),
    );
    const { totalCount, filteredCount } = page;
    const head = { totalCount, ...(filteredCount === totalCount ? {} : { filteredCount }) };
    return fittingPage(head, 'resources', items, hasMore(page), maxBytes);
  },
});
