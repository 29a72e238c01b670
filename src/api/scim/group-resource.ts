// Groups in the form of RFC 7643, section 4.2.
import { z } from 'zod';
import type { ProvisionedGroup } from '../../accounts/provisioning/groups.js';
import type { GroupAttributes } from '../../accounts/provisioning/provision-groups.js';
import { readInput } from '../../schema/shape-value.js';
import { nameForPeople, text } from '../../schema/text.js';
import { attributeOf, isDocument, onlyAttributes, requireDocument } from './documents.js';
import type { Document } from './documents.js';
import { invalidValue } from './scim-error.js';
import { groupSchema } from './urns.js';

const groupAttributes = z.object({ displayName: nameForPeople(256), externalId: text(256).optional() });

/**
 * Reads a group of POST or PUT.
 *
 * @throws {ScimError} 400 `invalidSyntax`, `invalidValue`; 400 `invalid_input`
 */
export function groupFromBody(body: unknown): { attributes: GroupAttributes; members: string[] } {
  const document = requireDocument(body, groupSchema);
  return { attributes: groupFromDocument(document), members: memberIds(attributeOf(document, 'members') ?? []) };
}

/** Reads the attributes of a group besides its members. @throws 400 `invalid_input` */
export function groupFromDocument(document: Document): GroupAttributes {
  return readInput(groupAttributes, onlyAttributes(document, ['displayName', 'externalId']));
}

/** The ids in values of `members`. @throws {ScimError} 400 `invalidValue` */
export function memberIds(members: unknown): string[] {
  return (Array.isArray(members) ? members : [members]).map((member: unknown) => {
    if (!isDocument(member)) throw invalidValue('members must be a list of objects with the id of a user as value.');
    const type = attributeOf(member, 'type');
    if (typeof type === 'string' && type.toLowerCase() === 'group')
      throw invalidValue('members must be users: groups in groups are not supported.');
    const value = attributeOf(member, 'value');
    if (typeof value !== 'string') throw invalidValue('members must have the id of a user as value.');
    return value;
  });
}

/** The weak validator of a group (RFC 7644, section 3.14). */
export function groupEtag({ version }: ProvisionedGroup): string {
  return `W/"${version}"`;
}

/** @param base the URL of the endpoints, without a trailing slash. */
export function groupResource(group: ProvisionedGroup, base: string): Document {
  const { id, externalId, displayName, members, createdAt, updatedAt } = group;
  return {
    schemas: [groupSchema],
    id,
    externalId,
    displayName,
    members: members?.map((value) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })),
    meta: {
      resourceType: 'Group',
      created: createdAt.toISOString(),
      lastModified: updatedAt.toISOString(),
      location: `${base}/Groups/${id}`,
      version: groupEtag(group),
    },
  };
}
