import { z } from 'zod';
import { yamlText } from '../../../input/yaml.js';
import { applyKinds } from '../../../manifests/apply-kind.js';
import type { ApplyKind } from '../../../manifests/apply-kind.js';
import { documentOf } from '../../../manifests/document.js';
import { resourceFrom } from '../../../manifests/read-resources.js';
import { findGlobalId } from '../../graphql/global-id.js';
import { documentById, documentByName, namedKinds } from '../kind-documents.js';
import { ToolError } from '../tool-call.js';
import type { ToolCall, Values } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import { bytesOf, kindInput, mapIn, mapsIn, nameInput, shortText, sizeInput, withoutEmpty } from '../tool-result.js';

/** The newest events that a result has. */
const eventsMax = 5;

export const getResource = defineTool({
  name: 'get_resource',
  title: 'Get a resource',
  description:
    'Returns one resource: its status, its version, its latest events, and its manifest in YAML, which apply_manifest ' +
    'takes. Name it by the id from search or list_resources, or by kind, workspace and name.',
  input: z.strictObject({
    id: z.string().max(200).optional().describe('Global ID of the resource, of any kind.'),
    kind: kindInput(namedKinds).optional().describe('Kind of the resource, if id is omitted.'),
    workspace: nameInput.optional().describe('Name of its workspace, if id is omitted.'),
    name: nameInput.optional().describe('Name of the resource, if id is omitted.'),
    after: z.string().max(40).optional().describe('The nextCursor of the previous result, for the rest of it.'),
    ...sizeInput,
  }),
  annotations: readOnly,
  run: async (call, input) => {
    const { type, resource } = await readResource(call, input);
    const { head, name, text } = partsOf(type, resource);
    return fittingText(head, name, text, input.after, input.maxBytes);
  },
});

async function readResource(
  call: ToolCall,
  {
    id,
    kind,
    workspace,
    name,
  }: { id?: string | undefined; kind?: string | undefined; workspace?: string | undefined; name?: string | undefined },
): Promise<{ type: string; resource: Values }> {
  const type = id === undefined ? kind : findGlobalId(id)?.typename;
  if (id === undefined && (kind === undefined || name === undefined)) {
    throw new ToolError('invalid_parameter', 'Name the resource: set id, or kind, workspace and name.');
  }
  const document = type && (id === undefined ? documentByName(type) : documentById(type));
  if (document === undefined) {
    throw new ToolError(
      'invalid_parameter',
      'id is not the global id of a resource. Use the ids of search or list_resources.',
    );
  }
  const variables = id === undefined ? { workspace, name } : { id };
  const { data } = await call.executeText(document, { variables });
  const { resource } = data;
  if (resource == null) throw new ToolError('not_found', `There is no such ${type} that this credential can access.`);
  return { type: String(type), resource: mapIn(resource) };
}

/** The facts about a resource, and its manifest in YAML: its details, if manifests cannot hold its kind. */
function partsOf(type: string, resource: Values): { head: Values; name: 'manifest' | 'details'; text: string } {
  const { id, version, status, workspace, metadata, spec, events, ...rest } = resource;
  const { createdAt, createdBy, updatedAt, updatedBy, url } = { ...rest, ...mapIn(metadata) };
  const kind = applyKinds.find(({ name }) => name === type);
  const place = String(mapIn(workspace)['name'] ?? '');
  const { unknownSince } = mapIn(rest['observed']);
  const facts = { unknownSince, url, publicIp: mapIn(spec)['publicIp'], address: mapIn(spec)['url'] };
  const head = withoutEmpty({
    id,
    kind: type,
    workspace: place,
    version,
    status,
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
    ...facts,
    events: mapsIn(events)
      .slice(-eventsMax)
      .map((event) => withoutEmpty({ ...event, message: shortText(event['message']) })),
  });
  if (kind === undefined) {
    return { head, name: 'details', text: yamlText(withoutEmpty({ metadata, spec, ...rest })) };
  }
  const reference = { kind, workspace: place, parents: parentsOf(kind, resource) };
  const found = resourceFrom(reference, resource);
  return { head, name: 'manifest', text: yamlText(documentOf(found, found.metadata, found.spec)) };
}

/** The names of the resources that contain it, outermost first. */
function parentsOf({ parents }: Pick<ApplyKind, 'parents'>, resource: Values): string[] {
  const [nearest, ...others] = parents.toReversed();
  if (nearest === undefined) return [];
  const above = mapIn(resource[nearest.field]);
  return [...parentsOf({ parents: others.toReversed() }, above), String(above['name'])];
}

/**
 * As much of the text as fits. The cursor has the version of the resource, so that the parts of two versions are
 * never joined.
 */
function fittingText(head: Values, name: string, text: string, after: string | undefined, bytesMax: number): Values {
  const [of, position] = (after ?? `${String(head['version'])}.0`).split('.');
  const start = Number(position);
  if (of !== String(head['version'])) {
    throw new ToolError('conflict', 'The resource changed since the previous result. Start again without after.');
  }
  if (!Number.isInteger(start) || start < 0 || start > text.length) {
    throw new ToolError('cursor_invalid', 'after is not the nextCursor of a result of this resource.');
  }
  const partOf = (end: number): Values => ({
    ...(start === 0 ? head : { id: head['id'], version: head['version'] }),
    [name]: text.slice(start, end),
    ...(end < text.length ? { nextCursor: `${of}.${end}` } : {}),
  });
  let end = text.length;
  // At least one character, which can be a surrogate pair.
  while (end > start + 2 && bytesOf(partOf(end)) > bytesMax) end = cutAt(text, start + Math.floor((end - start) * 0.9));
  return partOf(end);
}

/** The position, or the one before it if it is between the two halves of a surrogate pair. */
function cutAt(text: string, position: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(position - 1)) ? position - 1 : position;
}
