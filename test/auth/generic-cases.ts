// Tests for every mutation with a certain field. The cases are generated from the schema, so that new mutations and
// fields are tested as well.
import { getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/server/schema.js';

/** The start of the names of a mutation's types: `CreateAgent` of `createAgent`. */
export const typePrefix = (mutation: string) => `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;

export const fieldsOf = (mutation: string) => {
  const type = schema.getType(`${typePrefix(mutation)}Input`);
  return isInputObjectType(type) ? type.getFields() : {};
};

/** Whether the input of a mutation has a field: `validateOnly`, `ifVersion`. */
export function takes(mutation: string, field: string): boolean {
  return Object.hasOwn(fieldsOf(mutation), field);
}

/** Whether it creates a resource with a unique name. */
export function isNaming(mutation: string): boolean {
  return mutation.startsWith('create') && takes(mutation, 'metadata');
}

/** Fields of a mutation that do not refer to existing resources, because they name a new one. */
const given: Record<string, string[]> = {
  createApiKey: ['name'],
  createBillingDimension: ['name'],
  createBudget: ['name'],
  createExecutor: ['name'],
  createGroupRole: ['name'],
  createOauthClient: ['name'],
  createResourceType: ['name'],
  createServiceAccount: ['name'],
  createUser: ['name'],
  createWebhook: ['name'],
  updateServiceAccount: ['newName'],
  updateUser: ['newName'],
  updateWebhook: ['name'],
  registerImageTag: ['imageName'],
};

/** The fields of an input that refer to existing resources: parents, and the changed resource. */
export function namingFields(mutation: string): string[] {
  return Object.entries(fieldsOf(mutation)).flatMap(([name, { type }]) => {
    const isText = ['String', 'ID'].includes(getNamedType(type).name);
    const isName = isText && /^(?:name|id|.+Name|.+Id)$/.test(name) && name !== 'displayName';
    return isName && given[mutation]?.includes(name) !== true ? [name] : [];
  });
}

/**
 * Whether an unknown name must not be revealed: workspaces return the same error whether they exist or not (decision
 * 3). Accounts do so too, but not for admins of the platform, who run the cases.
 */
export function isSecret(mutation: string, field: string): boolean {
  return field === 'name' && mutation.endsWith('Workspace');
}

/** Different updates of a resource for several editors. */
export function editBy(caller: number, mutation: string): object {
  if (mutation === 'updateWebhook') return { name: `Editor ${caller}` };
  if (mutation === 'updateBudget') return { amount: String(caller + 100) };
  if (mutation === 'updateGroupRole') return { role: caller % 2 === 0 ? 'MEMBER' : 'ADMIN' };
  return { metadata: { displayName: `Editor ${caller}` } };
}

const nobody = '00000000-0000-4000-8000-000000000000';

/** A name of the same form as another one, which nothing has. */
export function otherName(name: unknown): string {
  if (typeof name !== 'string') return nobody;
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
  if (uuid.test(name)) return name.replace(uuid, nobody);
  const decoded = Buffer.from(name, 'base64url').toString();
  if (uuid.test(decoded)) return Buffer.from(decoded.replace(uuid, nobody)).toString('base64url');
  return name.includes('@') ? `nobody-${name}` : 'nothing-of-that-name';
}
