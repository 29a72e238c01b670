// Every route is one of the specification, or the one of meters, and none is without its refusals.
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/server/routes.js';
import type { Route } from '../../src/api/rest/route.js';
import { createTenant, createToken, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

/** The routes of the specification, and that of meters (decision 120). A new one is added here and below. */
const specified = [
  'DELETE /sandboxes/{sandboxName}/previews/{previewName}',
  'DELETE /vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}',
  'GET /accounts',
  'GET /accounts/{accountId}/metrics',
  'GET /accounts/{accountId}/metrics/enums/group-by',
  'GET /accounts/{accountId}/metrics/enums/resource-types',
  'GET /agents',
  'GET /configuration',
  'GET /images/{resourceType}/{imageName}',
  'GET /jobs/{jobId}/executions/{executionId}',
  'POST /pending-image-shares/{pendingShareId}/decline',
  'POST /usage/events',
];

interface Refusals {
  /** An address that the route matches; ACCOUNT in it is the tenant's own. */
  path: string;
  /** A scope that does not open it. */
  otherScope: string;
  /** Addresses that name nothing: 404. */
  unknown?: string[];
  /** Addresses that break a rule, and the parameter that does: 400. */
  malformed?: Record<string, string>;
}

const id = '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11';

const day = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';

const refusals: Record<string, Refusals> = {
  'DELETE /sandboxes/{sandboxName}/previews/{previewName}': {
    path: '/sandboxes/one-sandbox/previews/one-preview',
    otherScope: 'sandboxes:delete',
    unknown: ['/sandboxes/no-such/previews/one-preview', '/sandboxes/one-sandbox/previews/no-such'],
    malformed: {
      '/sandboxes/One/previews/one-preview': 'sandboxName',
      '/sandboxes/one-sandbox/previews/%00': 'previewName',
      '/sandboxes/one-sandbox/previews/a%2Fb': 'previewName',
      '/sandboxes/one-sandbox/previews/%252e': 'previewName',
    },
  },
  'DELETE /vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}': {
    path: '/vpcs/one-vpc/egressgateways/one-gateway/ips/one-ip',
    otherScope: 'agents:list',
    unknown: [
      '/vpcs/no-such/egressgateways/one-gateway/ips/one-ip',
      '/vpcs/one-vpc/egressgateways/no-such/ips/one-ip',
      '/vpcs/one-vpc/egressgateways/one-gateway/ips/no-such',
    ],
    malformed: {
      '/vpcs/-/egressgateways/one-gateway/ips/one-ip': 'vpcName',
      '/vpcs/one-vpc/egressgateways/a_b/ips/one-ip': 'gatewayName',
      [`/vpcs/one-vpc/egressgateways/one-gateway/ips/${'a'.repeat(50)}`]: 'ipName',
    },
  },
  'GET /accounts': { path: '/accounts', otherScope: 'workspaces:list' },
  'GET /accounts/{accountId}/metrics': {
    path: `/accounts/ACCOUNT/metrics?${day}`,
    otherScope: 'workspaces:list',
    unknown: [],
    malformed: {
      '/accounts/ACCOUNT/metrics?endTime=2026-11-02T00:00:00Z': 'startTime',
      [`/accounts/ACCOUNT/metrics?${day}&resolution=yearly`]: 'resolution',
      [`/accounts/ACCOUNT/metrics?${day}&groupBy=workspace,workspace`]: 'groupBy',
      [`/accounts/ACCOUNT/metrics?${day}&label=team`]: 'label',
    },
  },
  'GET /accounts/{accountId}/metrics/enums/group-by': {
    path: '/accounts/ACCOUNT/metrics/enums/group-by',
    otherScope: 'workspaces:list',
    unknown: [],
  },
  'GET /accounts/{accountId}/metrics/enums/resource-types': {
    path: `/accounts/ACCOUNT/metrics/enums/resource-types?${day}`,
    otherScope: 'workspaces:list',
    unknown: [],
    malformed: { '/accounts/ACCOUNT/metrics/enums/resource-types?startTime=yesterday': 'startTime' },
  },
  'GET /agents': { path: '/agents', otherScope: 'agents:get', malformed: { '/agents?limit=0': 'limit' } },
  'GET /configuration': { path: '/configuration', otherScope: 'locations:list' },
  'GET /images/{resourceType}/{imageName}': {
    path: '/images/agents/one-image',
    otherScope: 'agents:get',
    unknown: ['/images/agents/no-such', '/images/jobs/one-image'],
    malformed: {
      '/images/agent/one-image': 'resourceType',
      '/images/constructor/one-image': 'resourceType',
      '/images/agents/ONE': 'imageName',
    },
  },
  'GET /jobs/{jobId}/executions/{executionId}': {
    path: `/jobs/one-job/executions/${id}`,
    otherScope: 'jobs:get',
    unknown: [`/jobs/one-job/executions/${id}`, '/jobs/one-job/executions/no-such', '/jobs/one-job/executions/%00'],
    malformed: { [`/jobs/One%20Job/executions/${id}`]: 'jobId' },
  },
  'POST /pending-image-shares/{pendingShareId}/decline': {
    path: `/pending-image-shares/${id}/decline`,
    otherScope: 'agents:update',
    unknown: [`/pending-image-shares/${id}/decline`, '/pending-image-shares/no-such/decline'],
  },
  'POST /usage/events': { path: '/usage/events', otherScope: 'metrics:read' },
};

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const running = useApp();
let tenant: Tenant;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  await addPlatform(app, tenant.workspaces['main'] ?? '', 'one');
});

function nameOf(route: Route): string {
  return `${route.method} ${route.path}`;
}

function refusalsOf(route: Route): Refusals {
  const entry = refusals[nameOf(route)];
  if (entry === undefined) throw new Error(`${nameOf(route)} has no refusals in this test`);
  return { ...entry, path: entry.path.replace('ACCOUNT', tenant?.accountId ?? '') };
}

describe('The table of routes', () => {
  it('has the routes of the specification, each once', () => {
    expect(routes.map(nameOf).toSorted()).toEqual(specified.toSorted());
  });

  it('has error cases in this test for each of them, and for nothing else', () => {
    expect(Object.keys(refusals).toSorted()).toEqual(routes.map(nameOf).toSorted());
  });

  it('names each operation once', () => {
    expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length);
  });
});

describe('Errors', () => {
  it('for unknown names are tested for each route with a name', () => {
    const lacking = routes.filter((route) => route.path.includes('{') && refusalsOf(route).unknown === undefined);
    expect(lacking.map(nameOf)).toEqual([]);
  });
});

describe.each(routes.map((route) => ({ name: nameOf(route), route })))('$name', ({ route }) => {
  it('returns 401 with WWW-Authenticate without a credential', async () => {
    const { status, body, headers } = await rest(running.app, refusalsOf(route).path, { method: route.method });
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'unauthorized', code: 401, message: expect.any(String) });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="[^"]+\/v0"$/);
  });

  it('returns 403 to a token without its scope, and not with it', async () => {
    const { path, otherScope } = refusalsOf(route);
    const { method } = route;
    const { token: other } = await createToken(running.app, tenant, otherScope);
    const refused = await rest(running.app, path, { method, key: other });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${route.scope}"`);
    expect(refused.body).toMatchObject({ code: 403, error: expect.stringMatching(/^(forbidden|access_denied)$/) });
    for (const scope of [route.scope, 'admin']) {
      const { token } = await createToken(running.app, tenant, scope);
      expect((await rest(running.app, path, { method, key: token })).status).not.toBe(403);
    }
  });

  it('returns 404 for an unknown resource, and 400 for invalid input, naming it', async () => {
    const { unknown = [], malformed = {} } = refusalsOf(route);
    const { token } = await createToken(running.app, tenant, 'admin');
    const { method } = route;
    const before = await running.app.services.db.change.count();
    for (const path of unknown) {
      const { status, body } = await rest(running.app, path, { method, key: token });
      expect({ path, status, body }).toEqual({
        path,
        status: 404,
        body: { error: 'not_found', code: 404, message: expect.any(String) },
      });
    }
    for (const [path, field] of Object.entries(malformed)) {
      const address = path.replace('ACCOUNT', tenant.accountId);
      const { status, body } = await rest(running.app, address, { method, key: token, version: '2026-04-28' });
      expect({ path, status, error: body.error }).toEqual({ path, status: 400, error: 'invalid_parameter' });
      expect(body.message).toContain(`${field} `);
    }
    expect(await running.app.services.db.change.count()).toBe(before);
  });

  it('returns 405 with Allow for every unsupported method', async () => {
    const { path } = refusalsOf(route);
    const own: string[] = routes.filter((each) => each.path === route.path).map(({ method }) => method);
    const known = own.includes('GET') ? [...own, 'HEAD'] : own;
    for (const method of methods.filter((each) => !known.some((one) => one === each))) {
      const response = await fetch(`${running.app.origin}/v0${path}`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(known.toSorted());
      // A response to HEAD has no body.
      const text = method === 'HEAD' ? '{"error":"method_not_allowed","code":405}' : await response.text();
      expect(JSON.parse(text)).toMatchObject({ error: 'method_not_allowed', code: 405 });
    }
  });

  it('returns 400 for a version that is not a date', async () => {
    const { status, body } = await rest(running.app, refusalsOf(route).path, {
      method: route.method,
      version: 'latest',
    });
    expect(status).toBe(400);
    expect(body.error).toBe('invalid_api_version');
  });
});
