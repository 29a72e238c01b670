// Users in the form of RFC 7643, section 4.1. Attributes that this service does not store are ignored.
import { z } from 'zod';
import type { ProvisionedUser, UserAttributes } from '../../accounts/provisioning/users.js';
import { readInput } from '../../schema/shape-value.js';
import { shownText, text } from '../../schema/text.js';
import { attributeOf, booleanValue, isDocument, onlyAttributes, requireDocument } from './documents.js';
import type { Document } from './documents.js';
import { userSchema } from './urns.js';

export const nameParts = ['formatted', 'familyName', 'givenName'] as const;
export const emailParts = ['value', 'type', 'primary'] as const;

/** The maximum number of email addresses of a user. */
export const emailsMax = 20;

const part = shownText(256).optional();

const userAttributes = z.object({
  userName: text(254).min(1),
  externalId: text(256).optional(),
  displayName: part,
  name: z.object({ formatted: part, familyName: part, givenName: part }).optional(),
  emails: z
    .array(z.object({ value: text(254).min(1), type: text(64).optional(), primary: z.boolean().optional() }))
    .max(emailsMax)
    .optional(),
  active: z.boolean(),
});

/**
 * Reads a user of POST or PUT.
 *
 * @param active the value if the attribute is absent.
 * @throws {ScimError} 400 `invalidSyntax`; 400 `invalid_input`
 */
export function userFromBody(body: unknown, active: boolean): UserAttributes {
  return userFromDocument(requireDocument(body, userSchema), active);
}

/** Reads the attributes of a user, and leaves out unknown and empty ones. @throws 400 `invalid_input` */
export function userFromDocument(document: Document, active: boolean): UserAttributes {
  const simple = onlyAttributes(document, ['userName', 'externalId', 'displayName']);
  const name = attributeOf(document, 'name');
  const emails = attributeOf(document, 'emails');
  return readInput(userAttributes, {
    ...simple,
    name: isDocument(name) ? withoutEmpty(onlyAttributes(name, nameParts)) : name,
    emails: Array.isArray(emails) ? withOnePrimary(emails.map(emailFrom)) : emails,
    active: booleanValue(attributeOf(document, 'active') ?? active),
  });
}

function withoutEmpty(document: Document): Document | undefined {
  return Object.keys(document).length === 0 ? undefined : document;
}

/** An email address; one without a type can be sent as a text. */
export function emailFrom(email: unknown): unknown {
  if (typeof email === 'string') return { value: email };
  if (!isDocument(email)) return email;
  const parts = onlyAttributes(email, emailParts);
  return 'primary' in parts ? { ...parts, primary: booleanValue(parts['primary']) } : parts;
}

/** Only one value is the primary one: the last (RFC 7643, section 2.4). An empty list is an absent one. */
function withOnePrimary(emails: unknown[]): unknown[] | undefined {
  const last = emails.findLastIndex((email) => isDocument(email) && email['primary'] === true);
  const marked = emails.map((email, index) =>
    isDocument(email) && email['primary'] === true && index !== last ? { ...email, primary: false } : email,
  );
  return marked.length === 0 ? undefined : marked;
}

/** The weak validator of a user (RFC 7644, section 3.14). */
export function userEtag({ version, isDisabled }: ProvisionedUser): string {
  return `W/"${version}${isDisabled ? '-disabled' : ''}"`;
}

/** @param base the URL of the endpoints, without a trailing slash. */
export function userResource(user: ProvisionedUser, base: string): Document {
  const { id, externalId, userName, name, displayName, emails, active, groups, createdAt, updatedAt } = user;
  return {
    schemas: [userSchema],
    id,
    externalId,
    userName,
    name,
    displayName,
    emails,
    active,
    groups: groups.map(({ id: value, displayName: display }) => ({
      value,
      $ref: `${base}/Groups/${value}`,
      display,
      type: 'direct',
    })),
    meta: {
      resourceType: 'User',
      created: createdAt.toISOString(),
      lastModified: updatedAt.toISOString(),
      location: `${base}/Users/${id}`,
      version: userEtag(user),
    },
  };
}
