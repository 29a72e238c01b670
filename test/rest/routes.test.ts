// Every route is one of the specification, and none is without its refusals.
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/rest/routes.js';
import type { Route } from '../../src/rest/route.js';
import { createTenant, createToken, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

/** The routes of the specification, as far as they exist. A new one is added here and below. */
const specified = ['GET /agents'];

/** For each route: an address that it matches, and a scope that does not open it. */
const refusals: Record<string, { path: string; otherScope: string }> = {
  'GET /agents': { path: '/agents', otherScope: 'agents:get' },
};

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const running = useApp();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
});

function nameOf(route: Route): string {
  return `${route.method} ${route.path}`;
}

function refusalsOf(route: Route): { path: string; otherScope: string } {
  const entry = refusals[nameOf(route)];
  if (entry === undefined) throw new Error(`${nameOf(route)} has no refusals in this test`);
  return entry;
}

describe('The table of routes', () => {
  it('has the routes of the specification, each once', () => {
    expect(routes.map(nameOf).toSorted()).toEqual(specified.toSorted());
  });

  it('has refusals in this test for each of them, and for nothing else', () => {
    expect(Object.keys(refusals).toSorted()).toEqual(routes.map(nameOf).toSorted());
  });

  it('names each operation once', () => {
    expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length);
  });
});

describe.each(routes.map((route) => ({ name: nameOf(route), route })))('$name', ({ route }) => {
  it('answers 401 with WWW-Authenticate without a credential', async () => {
    const { status, body, headers } = await rest(running.app, refusalsOf(route).path, { method: route.method });
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'unauthorized', code: 401, message: expect.any(String) });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it('answers 403 to a token without its scope, and not with it', async () => {
    const { path, otherScope } = refusalsOf(route);
    const { method } = route;
    const { token: other } = await createToken(running.app, tenant, otherScope);
    const refused = await rest(running.app, path, { method, key: other });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 403, error: expect.stringMatching(/^(forbidden|access_denied)$/) });
    for (const scope of [route.scope, 'admin']) {
      const { token } = await createToken(running.app, tenant, scope);
      expect((await rest(running.app, path, { method, key: token })).status).not.toBe(403);
    }
  });

  it('answers 405 with Allow to every method that its address does not have', async () => {
    const { path } = refusalsOf(route);
    const known = routes.filter((each) => each.path === route.path).map(({ method }) => method);
    for (const method of methods.filter((each) => !known.some((one) => one === each))) {
      const response = await fetch(`${running.app.origin}/v0${path}`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(known.toSorted());
      // What HEAD is answered has no body.
      const text = method === 'HEAD' ? '{"error":"method_not_allowed","code":405}' : await response.text();
      expect(JSON.parse(text)).toMatchObject({ error: 'method_not_allowed', code: 405 });
    }
  });

  it('answers 400 to a version that is no date', async () => {
    const { status, body } = await rest(running.app, refusalsOf(route).path, {
      method: route.method,
      version: 'latest',
    });
    expect(status).toBe(400);
    expect(body.error).toBe('invalid_api_version');
  });
});
