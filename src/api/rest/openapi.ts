// Generates the OpenAPI document from the table of routes. Its response schemas are
// open, so that generated clients tolerate new fields and error codes.
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import type {
  ZodOpenApiObject,
  ZodOpenApiOperationObject,
  ZodOpenApiOverride,
  ZodOpenApiPathsObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { scopes } from '../../auth/scopes.js';
import type { HeaderNames } from '../../auth/request-headers.js';
import { errorCodes } from '../../error-codes.js';
import type { ErrorCode } from '../../error-codes.js';
import { noParameters } from './input.js';
import { takesIdempotencyKey } from './route.js';
import type { Route, RouteBody } from './route.js';
import { hasPagedLists, lastWholeLists, pagedListsSince } from './version.js';

/** Error statuses of every route. */
const commonErrors = [400, 401, 403, 429, 500, 503, 504] as const;

/** Error statuses of routes with an Idempotency-Key. */
const keyErrors = [409, 422] as const;

type Status = (typeof commonErrors | typeof keyErrors | Route['errors'])[number];

const reasons: Record<Status, string> = {
  400: 'A parameter or header is invalid. The message names it.',
  401: 'The credential is missing, invalid, expired or revoked.',
  403: 'The credential lacks a scope or role, or the workspace is not accessible to the caller.',
  404: 'No accessible resource has this name.',
  408: 'The request body took too long to arrive.',
  409: 'The current state does not allow the change.',
  413: 'The request body is too large.',
  415: 'The endpoint does not support the Content-Type or Content-Encoding of the body.',
  422: 'The Idempotency-Key was used for a different request.',
  429: 'The caller exceeded a rate limit. Retry after the time in Retry-After.',
  500: 'The service failed unexpectedly.',
  503: 'The service, or a system that it depends on, is temporarily unavailable.',
  504: 'The database took too long to respond.',
};

const errorBody = z
  .object({
    error: z.string().meta({
      description: `Stable error code. New codes can be added. Current codes: ${Object.keys(errorCodes).join(', ')}.`,
    }),
    code: z.int().meta({ description: 'The HTTP status.' }),
    message: z.string().meta({ description: 'A human-readable message.' }),
  })
  .meta({ id: 'Error' });

export interface ApiLocation {
  /** URL of the service, without the version prefix. */
  publicUrl: string;
  headers: HeaderNames;
  /** The API version of requests without a version header. */
  defaultVersion: string;
}

/**
 * Returns the OpenAPI 3.1 document as a JSON value.
 *
 * @param isPaged whether to document the versions with paginated lists.
 */
export function openApiDocument(routes: Route[], location: ApiLocation, isPaged: boolean): object {
  const version = versionHeader(location, isPaged);
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const operation = operationOf(route, location.headers, version, isPaged);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const flowScopes = Object.fromEntries(scopes.map((scope) => [scope, scopeText(scope)]));
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Workload Control Plane',
      version: isPaged ? pagedListsSince : lastWholeLists,
      description: 'API of a platform for agents and sandboxes: workloads, images, networks and billing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${location.publicUrl}/v0` }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A long-lived API key. Requests act as the owner of the key.',
        },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${location.publicUrl}/v0/oauth/authorize`,
              tokenUrl: `${location.publicUrl}/v0/oauth/token`,
              scopes: flowScopes,
            },
            clientCredentials: { tokenUrl: `${location.publicUrl}/v0/oauth/token`, scopes: flowScopes },
          },
        },
      },
    },
  };
  return createDocument(document, { override: openAnswers });
}

const openAnswers: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  // The format already implies the pattern.
  if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

function operationOf(
  route: Route,
  headers: HeaderNames,
  version: z.ZodType,
  isPaged: boolean,
): ZodOpenApiOperationObject {
  const wider = route.scope === 'admin' ? [] : [{ oauth: [route.scope] }];
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.path.split('/')[1] ?? ''],
    security: [{ apiKey: [] }, { oauth: ['admin'] }, ...wider],
    requestParams: {
      path: route.parameters,
      query: isPaged || route.unpaged === undefined ? route.query : noParameters,
      header: headersOf(route, headers, version),
    },
    ...(route.requestBody === undefined ? {} : { requestBody: requestBodyOf(route.requestBody) }),
    responses: responsesOf(route, headers, isPaged),
  };
}

/** Returns the media types that a route supports in addition to JSON. */
function otherContent({ otherForms = {} }: Pick<Route, 'otherForms'>) {
  const forms = Object.entries(otherForms).map(([mediaType, example]) => [mediaType, { schema: z.string(), example }]);
  return Object.fromEntries(forms);
}

function requestBodyOf({ description, content }: RouteBody): ZodOpenApiRequestBodyObject {
  const types = Object.entries(content).map(([mediaType, schema]) => [mediaType, { schema }]);
  return { description, required: true, content: Object.fromEntries(types) };
}

/** Returns the schema of the version header, which is required if the default version has other lists. */
function versionHeader({ defaultVersion }: ApiLocation, isPaged: boolean): z.ZodType {
  if (isPaged !== hasPagedLists(defaultVersion)) {
    const version = isPaged ? pagedListsSince : lastWholeLists;
    return z.enum([version]).meta({ description: `API version (default: ${defaultVersion}).` });
  }
  const same = isPaged ? `from ${pagedListsSince} onwards` : `before ${pagedListsSince}`;
  return z.iso
    .date()
    .optional()
    .meta({ description: `API version, a date ${same} (default: ${defaultVersion}).` });
}

function headersOf(route: Route, headers: HeaderNames, version: z.ZodType): z.ZodObject {
  const workspace = z.string().optional().meta({
    description: 'Name of the workspace. Required if the credential can access several workspaces.',
  });
  const idempotencyKey = z.string().optional().meta({
    description: 'Key for safe retries. For 24 hours, the same request with the same key returns the stored response.',
  });
  return z.object({
    [headers.version]: version,
    ...(route.isInWorkspace ? { [headers.workspace]: workspace } : {}),
    ...(takesIdempotencyKey(route) ? { 'idempotency-key': idempotencyKey } : {}),
  });
}

function responsesOf(route: Route, headers: HeaderNames, isPaged: boolean): ZodOpenApiResponsesObject {
  const { body, example } = isPaged ? route : (route.unpaged ?? route);
  const answered = z.object({
    [headers.version]: z.iso.date().meta({ description: 'API version that was applied.' }),
    'x-request-id': z.string().meta({ description: 'ID of the request. Include it when you report a problem.' }),
  });
  const ofKey = takesIdempotencyKey(route) ? keyErrors : [];
  const failures = [...new Set<Status>([...commonErrors, ...ofKey, ...route.errors])].toSorted((a, b) => a - b);
  return {
    [route.status ?? 200]: {
      description: 'Success.',
      headers: answered,
      content: { 'application/json': { schema: body, example }, ...otherContent(route) },
    },
    ...Object.fromEntries(
      failures.map((status) => [
        String(status),
        {
          description: reasons[status],
          headers: answered,
          content: { 'application/json': { schema: errorBody, example: exampleOf(status) } },
        },
      ]),
    ),
  };
}

function exampleOf(status: keyof typeof reasons): { error: ErrorCode; code: number; message: string } {
  const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);
  const error = Object.keys(errorCodes)
    .filter(isCode)
    .find((code) => errorCodes[code].status === status);
  return { error: error ?? 'internal_error', code: status, message: reasons[status] };
}

function scopeText(scope: string): string {
  const [resource, verb] = scope.split(':');
  return verb === undefined ? 'All permissions of the owner.' : `${verb} ${resource}`;
}
