// The document says what the routes do: a linter finds nothing wrong with it, and its examples as well as
// real answers of every route meet its schemas.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/rest/openapi.js';
import { routes } from '../../src/rest/routes.js';
import { replaceConfiguration } from '../../src/resources/configuration/configuration-input.js';
import { createKey, createTenant, rest, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';

const content = z.object({ 'application/json': z.object({ schema: z.unknown(), example: z.unknown() }) });
const shape = z.looseObject({
  openapi: z.string(),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        security: z.array(z.record(z.string(), z.array(z.string()))),
        parameters: z.array(z.looseObject({ in: z.string(), name: z.string() })),
        responses: z.record(z.string(), z.looseObject({ content })),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const headers = { version: 'service-version', workspace: 'x-service-workspace', authorization: 'x-authorization' };
const document = openApiDocument(routes, { publicUrl: 'https://control-plane.test', headers });
const parsed = shape.parse(document);

const ajv = new Ajv2020({ strict: false, allErrors: true });
// Its types say a namespace, its module a function: both reach it this way.
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

function pointer(...parts: string[]): string {
  return `openapi#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

function problems(path: string, method: string, status: string, body: unknown): unknown {
  const validate = ajv.getSchema(
    pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema'),
  );
  if (validate === undefined) throw new Error(`${method} ${path} has no ${status} in the document`);
  return validate(body) === true ? [] : validate.errors;
}

const operations = Object.entries(parsed.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })),
);

const running = useApp();
let key: string;
let platform: Platform;
let accountId: string;

const day = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  ({ accountId } = tenant);
  platform = await addPlatform(app, tenant.workspaces['main'] ?? '', 'one');
  await app.services.db.$transaction((tx) =>
    replaceConfiguration(tx, {
      continents: [{ name: 'EU', displayName: 'Europe' }],
      countries: [{ name: 'DE', displayName: 'Germany' }],
      regions: [
        {
          name: 'eu-frankfurt-1',
          continent: 'EU',
          country: 'DE',
          agentDrivePublicUrl: { read: 'https://drive.example.com', nested: [1, null] },
        },
        { name: 'eu-closed-1', continent: 'EU', country: 'DE', accounts: [] },
      ],
      privateLocations: [{ name: 'basement', account: 'northwind' }],
    }),
  );
});

describe('The OpenAPI document', () => {
  it('is valid 3.1, and a linter has nothing to say', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    expect(parsed.openapi).toMatch(/^3\.1\./);
  });

  it('is what /v0/openapi.json answers, without a credential, under the names of this service', async () => {
    const { status, body } = await rest(running.app, '/openapi.json');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toEqual(Object.keys(parsed.paths));
    expect((await rest(running.app, '/openapi.json', { method: 'POST' })).status).toBe(405);
  });

  it('has each route of the table, and nothing else', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`).toSorted(),
    );
  });

  it.each(operations)('says of $name what opens it, its path parameters and its failures', ({ path, operation }) => {
    expect(operation.security).toContainEqual({ apiKey: [] });
    expect(operation.security).toContainEqual({ oauth: ['admin'] });
    const inPath = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath.toSorted()).toEqual((path.match(/\{\w+\}/g) ?? []).toSorted());
    const expected = [
      '200',
      '400',
      '401',
      '403',
      '500',
      '503',
      '504',
      ...(inPath.length > 0 && !path.startsWith('/accounts/') ? ['404'] : []),
    ];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
  });

  it.each(operations)('has examples of $name that meet its schemas', ({ path, method, operation }) => {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { example } = response.content['application/json'];
      expect(example).toBeDefined();
      expect(problems(path, method, status, example)).toEqual([]);
    }
  });
});

describe('Real answers meet the document', () => {
  const ask = async (path: string, method: string, address: string, version = '2026-04-28'): Promise<Answer> => {
    const answer = await rest(running.app, address, { key, method: method.toUpperCase(), version });
    expect(problems(path, method, String(answer.status), answer.body)).toEqual([]);
    return answer;
  };

  const addresses: Record<string, () => string> = {
    'get /accounts': () => '/accounts',
    'get /accounts/{accountId}/metrics': () => `/accounts/${accountId}/metrics?${day}&groupBy=workspace`,
    'get /accounts/{accountId}/metrics/enums/group-by': () => `/accounts/${accountId}/metrics/enums/group-by`,
    'get /accounts/{accountId}/metrics/enums/resource-types': () =>
      `/accounts/${accountId}/metrics/enums/resource-types?${day}`,
    'get /agents': () => '/agents?limit=1',
    'get /configuration': () => '/configuration',
    'get /images/{resourceType}/{imageName}': () => '/images/agents/one-image',
    'post /pending-image-shares/{pendingShareId}/decline': () => `/pending-image-shares/${platform.ImageShare}/decline`,
    'get /jobs/{jobId}/executions/{executionId}': () => `/jobs/one-job/executions/${platform.JobExecution}`,
    'delete /vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}': () =>
      '/vpcs/one-vpc/egressgateways/one-gateway/ips/one-ip',
    'delete /sandboxes/{sandboxName}/previews/{previewName}': () => '/sandboxes/one-sandbox/previews/one-preview',
  };

  it.each(operations)('$name', async ({ name, path, method, operation }) => {
    const address = addresses[name]?.();
    if (address === undefined) throw new Error(`${name} has no address in this test`);
    expect((await ask(path, method, address)).status).toBe(200);
    expect((await ask(path, method, address, 'latest')).status).toBe(400);
    const unauthorized = await rest(running.app, address, { method: method.toUpperCase() });
    expect(problems(path, method, '401', unauthorized.body)).toEqual([]);
    const again = '409' in operation.responses ? 409 : method === 'delete' ? 404 : 200;
    expect((await ask(path, method, address)).status).toBe(again);
  });

  it('of the version before lists had pages', async () => {
    expect((await ask('/agents', 'get', '/agents', '2026-01-01')).body).toHaveLength(1);
  });
});
