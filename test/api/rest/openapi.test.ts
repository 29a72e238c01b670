// The OpenAPI document matches the routes: its examples and real responses of every route are valid.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../../src/api/rest/openapi.js';
import { routes } from '../../../src/server/routes.js';
import { replaceConfiguration } from '../../../src/resources/configuration/configuration-input.js';
import { createKey, createTenant, rest, useApp } from '../../harness.js';
import type { Answer } from '../../harness.js';
import { addPlatform } from '../../platform.js';
import { usageEvent } from '../../metering/usage-samples.js';
import type { Platform } from '../../platform.js';

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
const address = { publicUrl: 'https://control-plane.test', headers, defaultVersion: '2026-04-27' };

/** The versions with paged lists, and the versions before. */
const documents = {
  '2026-04-28': openApiDocument(routes, address, true),
  '2026-04-27': openApiDocument(routes, address, false),
};
type Version = keyof typeof documents;
const versions: Version[] = ['2026-04-28', '2026-04-27'];
const document = documents['2026-04-28'];
const parsed = shape.parse(document);

const ajv = new Ajv2020({ strict: false, allErrors: true });
// Its types declare a namespace and its module exports a function; both work with this import.
addFormats.default(ajv);
for (const version of versions) {
  ajv.addSchema(z.record(z.string(), z.unknown()).parse(closed(documents[version])), version);
}

/** A strict copy that allows no undocumented fields, so that the document must list every returned field. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function pointer(version: Version, parts: string[]): string {
  return `${version}#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}

function problems(
  path: string,
  method: string,
  status: string,
  body: unknown,
  version: Version = '2026-04-28',
): unknown {
  const validate = ajv.getSchema(
    pointer(version, ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']),
  );
  if (validate === undefined) throw new Error(`${method} ${path} has no ${status} in the document`);
  return validate(body) === true ? [] : validate.errors;
}

/** Every object within a value. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
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
  it.each(versions)('of %s is of OpenAPI 3.1 and of this version', (version) => {
    expect(shape.parse(documents[version])).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { version },
    });
  });

  it.each(versions)('of %s has one schema per response, open for new fields and error codes', (version) => {
    const schemas = shape.parse(documents[version]).components.schemas;
    for (const each of objectsIn(documents[version])) {
      expect(each).not.toHaveProperty('additionalProperties', false);
      expect(each).not.toHaveProperty('anyOf');
      expect(each).not.toHaveProperty('oneOf');
    }
    expect(schemas['Error']).toMatchObject({ properties: { error: { type: 'string' } } });
    expect(schemas['Error']).not.toHaveProperty('properties.error.enum');
  });

  it('paginates agents from 2026-04-28 onwards, on request, and lists all before that', () => {
    const operation = (version: Version) => shape.parse(documents[version]).paths['/agents']?.['get'];
    const named = (version: Version) => operation(version)?.parameters.map(({ name }) => name);
    expect(operation('2026-04-28')?.responses['200']?.content['application/json'].schema).toMatchObject({
      properties: { data: { type: 'array' }, meta: { $ref: '#/components/schemas/PaginationMeta' } },
    });
    expect(operation('2026-04-28')?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'service-version',
        required: true,
        schema: expect.objectContaining({ enum: ['2026-04-28'] }),
      }),
    );
    expect(named('2026-04-28')).toEqual(
      expect.arrayContaining(['cursor', 'limit', 'sort', 'q', 'anchor', 'x-service-workspace']),
    );
    expect(operation('2026-04-27')?.responses['200']?.content['application/json'].schema).toMatchObject({
      type: 'array',
    });
    expect(named('2026-04-27')?.toSorted()).toEqual(['service-version', 'x-service-workspace']);
    expect(operation('2026-04-27')?.parameters.filter(({ required }) => required === true)).toEqual([]);
  });

  it('requires the version header for bare arrays if pages are the default', () => {
    const paged = { ...address, defaultVersion: '2026-06-01' };
    const required = (isPaged: boolean) =>
      shape
        .parse(openApiDocument(routes, paged, isPaged))
        .paths['/accounts']?.['get']?.parameters.filter((each) => each['required'] === true);
    expect(required(true)).toEqual([]);
    expect(required(false)).toMatchObject([{ name: 'service-version', schema: { enum: ['2026-04-27'] } }]);
  });

  it.each(['/accounts/{accountId}/metrics', '/accounts/{accountId}/metrics/enums/resource-types'])(
    'requires the window of %s',
    (path) => {
      const required = parsed.paths[path]?.['get']?.parameters.filter(
        (each) => each.in === 'query' && each['required'] === true,
      );
      expect(required?.map(({ name }) => name)).toEqual(['startTime', 'endTime']);
    },
  );

  it('is returned by /v0/openapi.json without a credential, with the names of this service', async () => {
    const { status, body } = await rest(running.app, '/openapi.json');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toEqual(Object.keys(parsed.paths));
    expect((await rest(running.app, '/openapi.json', { method: 'POST' })).status).toBe(405);
  });

  it.each([
    ['', '2026-04-27'],
    ['?version=2026-04-28', '2026-04-28'],
    ['?version=2030-01-01', '2026-04-28'],
    ['?version=2020-02-29&other=1', '2026-04-27'],
  ])('at /v0/openapi.json%s is that of %s', async (search, version) => {
    expect((await rest(running.app, `/openapi.json${search}`)).body.info.version).toBe(version);
  });

  it.each(['?version=', '?version=latest', '?version=2026-02-30', '?version=2026-04-28&version=2026-04-28'])(
    'returns 400 at /v0/openapi.json%s',
    async (search) => {
      const { status, body } = await rest(running.app, `/openapi.json${search}`);
      expect(status).toBe(400);
      expect(body.error).toMatch(/^invalid_(api_version|parameter)$/);
    },
  );

  it('of earlier versions has the same routes', () => {
    expect(Object.keys(shape.parse(documents['2026-04-27']).paths)).toEqual(Object.keys(parsed.paths));
  });

  it('has exactly the routes of the table', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`).toSorted(),
    );
  });

  it.each(operations)('states the security, path parameters and errors of $name', ({ path, operation }) => {
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

  it.each(operations)('has valid examples for $name', ({ path, method, operation }) => {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { example } = response.content['application/json'];
      expect(example).toBeDefined();
      expect(problems(path, method, status, example)).toEqual([]);
    }
  });
});

describe('Real responses match the document', () => {
  const bodies: Record<string, unknown> = { '/usage/events': [usageEvent(1), { ...usageEvent(2), time: 'today' }] };

  const ask = async (path: string, method: string, address: string, version = '2026-04-28'): Promise<Answer> => {
    const json = bodies[path];
    const answer = await rest(running.app, address, { key, method: method.toUpperCase(), version, json });
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
    'post /usage/events': () => '/usage/events',
  };

  it.each(operations)('$name', async ({ name, path, method, operation }) => {
    const address = addresses[name]?.();
    if (address === undefined) throw new Error(`${name} has no address in this test`);
    expect((await ask(path, method, address)).status).toBe(200);
    expect((await ask(path, method, address, 'latest')).status).toBe(400);
    const unauthorized = await rest(running.app, address, { method: method.toUpperCase() });
    expect(problems(path, method, '401', unauthorized.body)).toEqual([]);
    const isRefused = '409' in operation.responses && bodies[path] === undefined;
    const again = method === 'delete' ? 404 : isRefused ? 409 : 200;
    expect((await ask(path, method, address)).status).toBe(again);
  });

  it('of the version before lists had pages', async () => {
    const { body } = await rest(running.app, '/agents', { key, version: '2026-01-01' });
    expect(body).toHaveLength(1);
    expect(problems('/agents', 'get', '200', body, '2026-04-27')).toEqual([]);
    expect(problems('/agents', 'get', '200', body)).not.toEqual([]);
  });

  it('with a valid example of the bare array', () => {
    const answer = shape.parse(documents['2026-04-27']).paths['/agents']?.['get']?.responses['200'];
    expect(problems('/agents', 'get', '200', answer?.content['application/json'].example, '2026-04-27')).toEqual([]);
  });
});
