// The documents by which providers discover what the endpoints do (RFC 7644, section 4; RFC 7643, sections 5 to 7).
import type { Document } from './documents.js';
import { groupSchema, listResponse, userSchema } from './urns.js';

/** The maximum number of resources in a page; of groups with their members, 20. */
export const pageSizeMax = 200;
export const pageSizeOfMembersMax = 20;

type Kind = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

interface Attribute {
  name: string;
  type: Kind;
  description: string;
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: 'readWrite' | 'readOnly' | 'immutable';
  returned?: 'default' | 'always';
  uniqueness?: 'none' | 'server';
  subAttributes?: Attribute[];
  referenceTypes?: string[];
}

function attributeDocument({ subAttributes, ...attribute }: Attribute): Document {
  return {
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...attribute,
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(attributeDocument) }),
  };
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const readOnly = { mutability: 'readOnly' } as const;

const reference = (type: string, description: string): Attribute => ({
  name: '$ref',
  type: 'reference',
  description,
  referenceTypes: [type],
  ...readOnly,
  caseExact: true,
});

const userAttributes: Attribute[] = [
  text('userName', 'Email address of the user, of a domain of the account. The user signs in with it.', {
    required: true,
    uniqueness: 'server',
  }),
  {
    name: 'name',
    type: 'complex',
    description: 'Name of the user.',
    subAttributes: [
      text('formatted', 'Full name.'),
      text('familyName', 'Family name.'),
      text('givenName', 'Given name.'),
    ],
  },
  text('displayName', 'Name of the user as the service shows it.'),
  {
    name: 'emails',
    type: 'complex',
    description: 'Email addresses. They are stored and returned, and not used.',
    multiValued: true,
    subAttributes: [
      text('value', 'Email address.'),
      text('type', 'Label, such as work.'),
      { name: 'primary', type: 'boolean', description: 'Whether this is the primary address.' },
    ],
  },
  {
    name: 'active',
    type: 'boolean',
    description: 'Whether the user has access. False ends all access to the account within a second.',
  },
  {
    name: 'groups',
    type: 'complex',
    description: 'Groups of the user.',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      text('value', 'ID of the group.', { ...readOnly, caseExact: true }),
      reference('Group', 'URL of the group.'),
      text('display', 'Name of the group.', readOnly),
      text('type', 'Always direct.', readOnly),
    ],
  },
];

const groupAttributes: Attribute[] = [
  text('displayName', 'Name of the group. Group roles refer to it.', { required: true, uniqueness: 'server' }),
  {
    name: 'members',
    type: 'complex',
    description: 'Users of the group.',
    multiValued: true,
    subAttributes: [
      text('value', 'ID of the user.', { mutability: 'immutable', caseExact: true }),
      reference('User', 'URL of the user.'),
      text('type', 'Always User.', { mutability: 'immutable' }),
    ],
  },
];

function schema(id: string, name: string, description: string, attributes: Attribute[], base: string): Document {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description,
    attributes: attributes.map(attributeDocument),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function resourceType(name: string, endpoint: string, id: string, base: string): Document {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint,
    description: `${name} of the account.`,
    schema: id,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

function serviceProviderConfig(base: string): Document {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: pageSizeMax },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'API key of a service account with the scope scim, as a bearer token.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** Every document by its path below the base, in the case of the RFC. @param base without a trailing slash */
export function discoveryDocuments(base: string): ReadonlyMap<string, Document> {
  const schemas = [
    schema(userSchema, 'User', 'User of the account.', userAttributes, base),
    schema(groupSchema, 'Group', 'Group of users of the account.', groupAttributes, base),
  ];
  const types = [resourceType('User', '/Users', userSchema, base), resourceType('Group', '/Groups', groupSchema, base)];
  const listed = (path: string, resources: Document[]): [string, Document][] => [
    [path, listOf(resources, resources.length, 0)],
    ...resources.map((resource): [string, Document] => [`${path}/${String(resource['id'])}`, resource]),
  ];
  return new Map([
    ['/ServiceProviderConfig', serviceProviderConfig(base)],
    ...listed('/Schemas', schemas),
    ...listed('/ResourceTypes', types),
  ]);
}

/** A list response (RFC 7644, section 3.4.2). @param offset the position of the first resource, from 0 */
export function listOf(resources: readonly Document[], total: number, offset: number): Document {
  return {
    schemas: [listResponse],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
