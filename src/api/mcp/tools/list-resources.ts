import { z } from 'zod';
import { resourceKinds } from '../../../resource-kinds.js';
import { ToolError } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import { fittingPage, hasMore, listedIn, mapIn, nameInput, pageInput, withoutEmpty } from '../tool-result.js';

/** The kinds inside of others, with the kind of the parent. */
const parentOf: Readonly<Record<string, string>> = {
  SandboxPreview: 'Sandbox',
  EgressGateway: 'Vpc',
  JobExecution: 'Job',
};

/** The kinds whose lists have a filter by status and labels. */
const filtered = ['Agent', 'Sandbox', 'Job', 'Volume', 'Vpc'];

const kinds = ['Workspace', ...filtered, 'Image', ...Object.keys(parentOf)];

export const listResources = defineTool({
  name: 'list_resources',
  title: 'List resources',
  description:
    'Lists the resources of one kind, newest first: those of a workspace, or those inside of a parent ' +
    `(${Object.entries(parentOf)
      .map(([kind, parent]) => `${kind} of a ${parent}`)
      .join(', ')}).`,
  input: z.strictObject({
    kind: z.enum(kinds).describe('The kind to list.'),
    workspace: nameInput.optional().describe('Name of the workspace. Required for all kinds except Workspace.'),
    parent: nameInput.optional().describe('Name of the parent. Required for the kinds that have one.'),
    search: z.string().max(200).optional().describe('Text to find in names and labels.'),
    statuses: z
      .array(nameInput)
      .max(20)
      .optional()
      .describe(`Only resources with one of these statuses, such as FAILED (${filtered.join(', ')} only).`),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe(`Only resources with all these labels (${filtered.join(', ')} only).`),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (call, { kind, workspace, parent, search, statuses, labels = {}, first, after, maxBytes }) => {
    const parentKind = parentOf[kind];
    if (parentKind !== undefined && parent === undefined) {
      throw new ToolError('invalid_parameter', `parent is required: the name of the ${parentKind} that contains them.`);
    }
    const matched = Object.entries(labels);
    const isFiltered = statuses !== undefined || matched.length > 0;
    if (isFiltered && !filtered.includes(kind)) {
      throw new ToolError('invalid_parameter', `statuses and labels are only available for ${filtered.join(', ')}.`);
    }
    const filter = {
      ...(statuses === undefined ? {} : { status: { in: statuses } }),
      ...(matched.length === 0 ? {} : { labels: matched.map(([key, value]) => ({ key, in: [value] })) }),
    };
    const variables = { workspace, parent, search, first, after, ...(isFiltered ? { filter } : {}) };
    const { data } = await call.execute('list-resources', { operationName: `List${kind}`, variables });
    if (parentKind !== undefined && data['parent'] === null) {
      throw new ToolError('not_found', `There is no ${labelOf(parentKind)} named ${JSON.stringify(parent)} here.`);
    }
    const page = mapIn(parentKind === undefined ? data['page'] : mapIn(data['parent'])['page']);
    const listed = listedIn(page, ({ metadata, spec, executionStatus, ...node }) =>
      withoutEmpty({ status: executionStatus, ...node, ...mapIn(metadata), ...mapIn(spec) }),
    );
    const { totalCount, filteredCount } = page;
    const head = { totalCount, ...(filteredCount === totalCount ? {} : { filteredCount }) };
    return fittingPage(head, 'resources', listed, hasMore(page), maxBytes);
  },
});

function labelOf(typeName: string): string {
  const kind = Object.entries(resourceKinds).find(([, entry]) => entry.typeName === typeName)?.[1];
  return kind?.label ?? typeName;
}
