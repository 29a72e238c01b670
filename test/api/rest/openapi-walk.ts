// Every operation of the OpenAPI document, with hostile values for each of its parameters, headers and media types.
import { z } from 'zod';
import { openApiDocument } from '../../../src/api/rest/openapi.js';
import { routes } from '../../../src/server/routes.js';

export interface HostileRestRequest {
  what: string;
  path: string;
  init: RequestInit;
  /** The name in the error; undefined if the value may be accepted. */
  refusedField: string | undefined;
}

export interface WalkedOperation {
  operation: string;
  hostile: HostileRestRequest[];
}

const version = '2026-04-28';

const shape = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ in: z.string(), name: z.string() })),
        requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
      }),
    ),
  ),
});

type Operation = z.output<typeof shape>['paths'][string][string];

const address = {
  publicUrl: 'https://control-plane.test',
  headers: { version: 'service-version', workspace: 'x-service-workspace', authorization: 'x-service-authorization' },
  defaultVersion: '2026-04-27',
};

/** Headers of HTTP, which the document does not name. */
const undocumentedHeaders = ['accept', 'accept-encoding', 'if-none-match'];

/** Characters of an address and of a header: Node refuses a little more. */
const lengthMax = 12_000;
const many = 10_000;
const manyItems = JSON.stringify(Array.from({ length: many + 1 }, (_, index) => ({ [`wrong${index}`]: index })));
const manyEntries = JSON.stringify(
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`unknown${index}`, index])),
);

function repeated(name: string): string {
  const count = Math.floor(lengthMax / (name.length + 6));
  return Array.from({ length: count }, (_, index) => `${name}=${index}`).join('&');
}

/** Operations on a name that does not exist change nothing. */
function addressOf(path: string, value = 'unknown'): string {
  return `/v0${path.replaceAll(/\{\w+\}/g, value)}`;
}

function hostileRequests(path: string, method: string, operation: Operation): HostileRestRequest[] {
  const request = (what: string, at: string, refusedField?: string, more: RequestInit = {}): HostileRestRequest => ({
    what,
    path: at,
    init: { method: method.toUpperCase(), ...more, headers: { 'service-version': version, ...more.headers } },
    refusedField,
  });
  const base = addressOf(path);
  const headers = undocumentedHeaders.map((name) => ({ in: 'header', name }));
  const ofParameters = [...operation.parameters, ...headers].flatMap(({ in: place, name }) => {
    if (place === 'path') return [request(`${name}: a long text`, addressOf(path, 'a'.repeat(lengthMax)))];
    if (place === 'header') {
      return [request(`${name}: a long list`, base, undefined, { headers: { [name]: 'a,'.repeat(lengthMax / 2) } })];
    }
    return [
      request(`${name}: repeated`, `${base}?${repeated(name)}`, name),
      request(`${name}: a long text`, `${base}?${name}=${'a'.repeat(lengthMax)}`),
    ];
  });
  const ofBody = Object.keys(operation.requestBody?.content ?? {}).flatMap((mediaType) => {
    const ofType = { 'content-type': mediaType };
    return [
      request(`${mediaType}: ${many + 1} wrong items`, base, undefined, { headers: ofType, body: manyItems }),
      request(`${mediaType}: ${many} unknown fields`, base, undefined, { headers: ofType, body: manyEntries }),
      request(`${mediaType}: a long text`, base, undefined, {
        headers: ofType,
        body: JSON.stringify('a'.repeat(lengthMax)),
      }),
    ];
  });
  const unknown = request('an unknown parameter, repeated', `${base}?${repeated('unknown')}`, 'unknown');
  return [...ofParameters, ...ofBody, unknown];
}

export function walkOperations(): WalkedOperation[] {
  const { paths } = shape.parse(openApiDocument(routes, address, true));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      operation: operation.operationId,
      hostile: hostileRequests(path, method, operation),
    })),
  );
}
