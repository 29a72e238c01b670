// The endpoints of users and groups (RFC 7644, section 3).
import {
  createProvisionedGroup,
  changeProvisionedGroup,
  deleteProvisionedGroup,
} from '../../accounts/provisioning/provision-groups.js';
import type { GroupAttributes } from '../../accounts/provisioning/provision-groups.js';
import {
  changeProvisionedUser,
  createProvisionedUser,
  deleteProvisionedUser,
} from '../../accounts/provisioning/provision-users.js';
import { getProvisionedGroup, listProvisionedGroups } from '../../accounts/provisioning/groups.js';
import type { ProvisionedGroup } from '../../accounts/provisioning/groups.js';
import { getProvisionedUser, listProvisionedUsers } from '../../accounts/provisioning/users.js';
import type { DirectoryPage, ProvisionedUser } from '../../accounts/provisioning/users.js';
import type { RequestContext } from '../../auth/context.js';
import { listOf, pageSizeMax, pageSizeOfMembersMax } from './discovery.js';
import { attributeOf, requireDocument } from './documents.js';
import type { Document } from './documents.js';
import { parseFilter } from './filter-parser.js';
import { groupEtag, groupFromBody, groupResource } from './group-resource.js';
import { patchedGroup, patchedUser, readOperations } from './patch.js';
import { isProjected, project, projectionOf } from './projection.js';
import type { Projection } from './projection.js';
import { invalidValue } from './scim-error.js';
import { searchRequest } from './urns.js';
import { userEtag, userFromBody, userResource } from './user-resource.js';

/** A request to an endpoint. */
export interface ScimRequest {
  ctx: RequestContext;
  /** The URL of the endpoints, without a trailing slash. */
  base: string;
  /** The id in the path, or an empty text. */
  id: string;
  /** The query, or the body of a search. */
  parameters: Document;
  /** Reads the body. @throws 400, 413, 415 */
  body: () => Promise<unknown>;
  /** Checks `If-Match`. @throws {ScimError} 412 */
  requireMatch: (etag: string) => void;
}

export interface ScimAnswer {
  status: 200 | 201 | 204;
  body?: Document;
  etag?: string;
  /** The URL of a new resource. */
  location?: string;
}

/** The operations of a kind of resource. */
interface Operations {
  list: (request: ScimRequest) => Promise<ScimAnswer>;
  create: (request: ScimRequest) => Promise<ScimAnswer>;
  get: (request: ScimRequest) => Promise<ScimAnswer>;
  replace: (request: ScimRequest) => Promise<ScimAnswer>;
  patch: (request: ScimRequest) => Promise<ScimAnswer>;
  remove: (request: ScimRequest) => Promise<ScimAnswer>;
}

export const users: Operations = {
  list: async ({ ctx, base, parameters }) => {
    const projection = projectionIn(parameters);
    const page = pageIn(parameters, pageSizeMax);
    const { total, items } = await listProvisionedUsers(ctx, page);
    const resources = items.map((user) => project(userResource(user, base), projection));
    return { status: 200, body: listOf(resources, total, page.offset) };
  },
  create: async ({ ctx, base, body, parameters }) => {
    const projection = projectionIn(parameters);
    const user = await createProvisionedUser(ctx, userFromBody(await body(), true));
    return { ...userAnswer(user, base, projection), status: 201, location: `${base}/Users/${user.id}` };
  },
  get: async ({ ctx, base, id, parameters }) => {
    const projection = projectionIn(parameters);
    const user = await getProvisionedUser(ctx, id);
    return userAnswer(user, base, projection);
  },
  replace: async ({ ctx, base, id, body, parameters, requireMatch }) => {
    const projection = projectionIn(parameters);
    const document = await body();
    const check = (before: Parameters<typeof userEtag>[0]) => requireMatch(userEtag(before));
    // Without `active`, a user stays as active as before: a provider that omits it must not activate anybody.
    const user = await changeProvisionedUser(ctx, id, check, ({ active }) => userFromBody(document, active));
    return userAnswer(user, base, projection);
  },
  patch: async ({ ctx, base, id, body, parameters, requireMatch }) => {
    const projection = projectionIn(parameters);
    const operations = readOperations(await body());
    const check = (before: Parameters<typeof userEtag>[0]) => requireMatch(userEtag(before));
    const user = await changeProvisionedUser(ctx, id, check, (before) => patchedUser(before, operations));
    return userAnswer(user, base, projection);
  },
  remove: async ({ ctx, id, requireMatch }) => {
    await deleteProvisionedUser(ctx, id, (before) => requireMatch(userEtag(before)));
    return { status: 204 };
  },
};

export const groups: Operations = {
  list: async ({ ctx, base, parameters }) => {
    const projection = projectionIn(parameters);
    const withMembers = isProjected(projection, 'members');
    const page = pageIn(parameters, withMembers ? pageSizeOfMembersMax : pageSizeMax);
    const { total, items } = await listProvisionedGroups(ctx, { ...page, withMembers });
    const resources = items.map((group) => project(groupResource(group, base), projection));
    return { status: 200, body: listOf(resources, total, page.offset) };
  },
  create: async ({ ctx, base, body, parameters }) => {
    const projection = projectionIn(parameters);
    const { attributes, members } = groupFromBody(await body());
    const group = await createProvisionedGroup(ctx, attributes, members);
    return { ...groupAnswer(group, base, projection), status: 201, location: `${base}/Groups/${group.id}` };
  },
  get: async ({ ctx, base, id, parameters }) => {
    const projection = projectionIn(parameters);
    const group = await getProvisionedGroup(ctx, id, { withMembers: isProjected(projection, 'members') });
    return groupAnswer(group, base, projection);
  },
  replace: async ({ ctx, base, id, body, parameters, requireMatch }) => {
    const projection = projectionIn(parameters);
    const { attributes, members } = groupFromBody(await body());
    const delta = { replaces: true, added: new Set(members), removed: new Set<string>() };
    const check = (before: Parameters<typeof groupEtag>[0]) => requireMatch(groupEtag(before));
    const withMembers = isProjected(projection, 'members');
    const change = () => ({ attributes, members: delta });
    const group = await changeProvisionedGroup(ctx, id, check, change, { withMembers });
    return groupAnswer(group, base, projection);
  },
  patch: async ({ ctx, base, id, body, parameters, requireMatch }) => {
    const projection = projectionIn(parameters);
    const operations = readOperations(await body());
    const check = (before: Parameters<typeof groupEtag>[0]) => requireMatch(groupEtag(before));
    // A group can have many members, so the group is only returned on request (RFC 7644, section 3.5.2).
    const isReturned = parameters['attributes'] !== undefined;
    const withMembers = isReturned && isProjected(projection, 'members');
    const change = (before: GroupAttributes) => patchedGroup(before, operations);
    const group = await changeProvisionedGroup(ctx, id, check, change, { withMembers });
    return isReturned ? groupAnswer(group, base, projection) : { status: 204, etag: groupEtag(group) };
  },
  remove: async ({ ctx, id, requireMatch }) => {
    await deleteProvisionedGroup(ctx, id, (before) => requireMatch(groupEtag(before)));
    return { status: 204 };
  },
};

/** The parameters in the body of a search (RFC 7644, section 3.4.3). @throws {ScimError} 400 `invalidSyntax` */
export function searchParameters(body: unknown): Document {
  const document = requireDocument(body, searchRequest);
  const names = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes'];
  return Object.fromEntries(names.map((name) => [name, attributeOf(document, name)]));
}

function userAnswer(user: ProvisionedUser, base: string, projection: Projection): ScimAnswer {
  return { status: 200, body: project(userResource(user, base), projection), etag: userEtag(user) };
}

function groupAnswer(group: ProvisionedGroup, base: string, projection: Projection): ScimAnswer {
  return { status: 200, body: project(groupResource(group, base), projection), etag: groupEtag(group) };
}

function projectionIn({ attributes, excludedAttributes }: Document): Projection {
  return projectionOf(attributes, excludedAttributes);
}

/** A start before the first resource is the first one, and a negative count is 0 (RFC 7644, section 3.4.2.4). */
function pageIn({ filter, startIndex, count }: Document, sizeMax: number): DirectoryPage {
  if (filter !== undefined && typeof filter !== 'string') throw invalidValue('filter must be a text.');
  return {
    filter: filter === undefined || filter === '' ? undefined : parseFilter(filter),
    offset: Math.max(1, wholeNumber('startIndex', startIndex) ?? 1) - 1,
    count: Math.min(Math.max(0, wholeNumber('count', count) ?? 100), sizeMax),
  };
}

function wholeNumber(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`${name} must be a whole number of at most 9 digits.`);
  return Number(text);
}
