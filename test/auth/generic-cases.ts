// What holds of every mutation that takes a field, whatever it changes: the cases follow from the schema, so that a new
// mutation, or a new field of one, is tried as well.
import { getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/api/graphql/server/schema.js';

const fieldsOf = (mutation: string) => {
  const type = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`);
  return isInputObjectType(type) ? type.getFields() : {};
};

/** Whether the input of a mutation has a field: `validateOnly`, `ifVersion`. */
export function takes(mutation: string, field: string): boolean {
  return Object.hasOwn(fieldsOf(mutation), field);
}

/** Whether it makes something whose name nobody else of its kind has. */
export function isNaming(mutation: string): boolean {
  return mutation.startsWith('create') && takes(mutation, 'metadata');
}

/** What a mutation is given and nothing is found by, because it makes it, or calls something so from then on. */
const given: Record<string, string[]> = {
  createApiKey: ['name'],
  createBillingDimension: ['name'],
  createBudget: ['name'],
  createOauthClient: ['name'],
  createResourceType: ['name'],
  createWebhook: ['name'],
  updateWebhook: ['name'],
  registerImageTag: ['imageName'],
};

/** The fields of an input that name what has to be there: parents, and what is changed. */
export function namingFields(mutation: string): string[] {
  return Object.entries(fieldsOf(mutation)).flatMap(([name, { type }]) => {
    const isText = ['String', 'ID'].includes(getNamedType(type).name);
    const isName = isText && /^(?:name|id|.+Name|.+Id)$/.test(name) && name !== 'displayName';
    return isName && given[mutation]?.includes(name) !== true ? [name] : [];
  });
}

/** Whether a name can be had out of nobody: what names a workspace or an account is refused alike whether there is one (decisions 3, 19). */
export function isSecret(mutation: string, field: string): boolean {
  return field === 'name' && /(?:Workspace|Account)$/.test(mutation);
}

/** What one of several editors makes of a resource, each something else. */
export function editBy(caller: number, mutation: string): object {
  if (mutation === 'updateWebhook') return { name: `Editor ${caller}` };
  if (mutation === 'updateBudget') return { amount: String(caller + 100) };
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
