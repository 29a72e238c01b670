// An identity provider that provisions an account with SCIM, as Okta and Entra ID do.
import { createKey, createTenant } from '../../harness.js';
import type { Answer, Tenant, TestApp } from '../../harness.js';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface Provider {
  tenant: Tenant;
  /** The key of the service account, with the scope `scim`. */
  key: string;
  serviceAccountId: string;
  send: (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Creates a user, and returns its resource. */
  create: (userName: string, more?: object) => Promise<Answer['body']>;
  /** Creates a group with members, and returns its resource. */
  group: (displayName: string, ...members: string[]) => Promise<Answer['body']>;
  patch: (path: string, ...operations: object[]) => Promise<Answer>;
}

/** An account with a workspace `<account>-main`, and a provider of it. */
export async function createProvider(app: TestApp, account: string): Promise<Provider> {
  const tenant = await createTenant(app, { account, workspaces: [`${account}-main`] });
  const { db } = app.services;
  const robot = await db.principal.create({ data: { kind: 'service_account', name: `${account}-directory` } });
  await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: robot.id, role: 'admin' } });
  const { key } = await createKey(app, { accountId: tenant.accountId, principalId: robot.id, scope: 'scim' });
  const send: Provider['send'] = (method, path, json, headers) => scim(app, key, method, path, json, headers);
  return {
    tenant,
    key,
    serviceAccountId: robot.id,
    send,
    create: async (userName, more = {}) =>
      (await send('POST', '/Users', { schemas: [userSchema], userName, active: true, ...more })).body,
    group: async (displayName, ...members) =>
      (
        await send('POST', '/Groups', {
          schemas: [groupSchema],
          displayName,
          members: members.map((value) => ({ value })),
        })
      ).body,
    patch: (path, ...operations) => send('PATCH', path, { schemas: [patchSchema], Operations: operations }),
  };
}

/** One SCIM request. A text is sent as it is. */
export async function scim(
  app: TestApp,
  key: string | undefined,
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${app.origin}/scim/v2${path}`, {
    method,
    ...(json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/scim+json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export function filtered(path: string, filter: string, more = ''): string {
  return `${path}?filter=${encodeURIComponent(filter)}${more}`;
}
