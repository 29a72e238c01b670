// The OpenAPI document, made from the table of routes, so that the two cannot disagree.
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import type {
  ZodOpenApiObject,
  ZodOpenApiOperationObject,
  ZodOpenApiOverride,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { scopes } from '../access/scopes.js';
import type { HeaderNames } from '../context.js';
import { errorStatuses } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import { word } from './input.js';
import type { Route } from './route.js';
import { pagedListsSince } from './version.js';

/** Statuses that every route can answer with. */
const commonErrors = [400, 401, 403, 500, 503, 504] as const;

const reasons: Record<(typeof commonErrors)[number] | Route['errors'][number], string> = {
  400: 'A parameter or header breaks a rule; the message names it.',
  401: 'No credential, or one that is not valid.',
  403: 'The caller may not do that, or the workspace is out of reach.',
  404: 'There is nothing of that name here.',
  409: 'The state of things does not allow it, or not any more.',
  500: 'Something went wrong on our side.',
  503: 'Something that the service depends on does not answer now.',
  504: 'The database took too long to answer.',
};

const errorBody = z
  .object({
    error: word(errorStatuses).meta({ description: 'Stable code.' }),
    code: z.int().meta({ description: 'The HTTP status.' }),
    message: z.string().meta({ description: 'What went wrong, for people.' }),
  })
  .meta({ id: 'Error' });

export interface ApiAddress {
  /** Address of the service, without the version prefix. */
  publicUrl: string;
  headers: HeaderNames;
}

/** The document, as a JSON value: OpenAPI 3.1. */
export function openApiDocument(routes: Route[], address: ApiAddress): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, address.headers) };
  }
  const flowScopes = Object.fromEntries(scopes.map((scope) => [scope, scopeText(scope)]));
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Workload Control Plane',
      version: pagedListsSince,
      description: 'Workloads, images, networks and bills of agent and sandbox platforms.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${address.publicUrl}/v0` }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A long-lived API key, which acts as its owner.' },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${address.publicUrl}/v0/oauth/authorize`,
              tokenUrl: `${address.publicUrl}/v0/oauth/token`,
              scopes: flowScopes,
            },
            clientCredentials: { tokenUrl: `${address.publicUrl}/v0/oauth/token`, scopes: flowScopes },
          },
        },
      },
    },
  };
  return createDocument(document, { override: withoutPatterns });
}

/** What a format says already. */
const withoutPatterns: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

function operationOf(route: Route, headers: HeaderNames): ZodOpenApiOperationObject {
  const wider = route.scope === 'admin' ? [] : [{ oauth: [route.scope] }];
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.path.split('/')[1] ?? ''],
    security: [{ apiKey: [] }, { oauth: ['admin'] }, ...wider],
    requestParams: {
      path: route.parameters,
      query: route.query,
      header: headersOf(route, headers),
    },
    responses: responsesOf(route, headers),
  };
}

function headersOf(route: Route, headers: HeaderNames): z.ZodObject {
  const version = z.iso
    .date()
    .optional()
    .meta({ description: `API version; lists have pages from ${pagedListsSince}.` });
  const workspace = z.string().optional().meta({
    description: 'Name of the workspace. Needed when the credential reaches several.',
  });
  return z.object({ [headers.version]: version, ...(route.isInWorkspace ? { [headers.workspace]: workspace } : {}) });
}

function responsesOf(route: Route, headers: HeaderNames): ZodOpenApiResponsesObject {
  const answered = z.object({
    [headers.version]: z.iso.date().meta({ description: 'The version that was applied.' }),
    'x-request-id': z.string().meta({ description: 'Quote it when something goes wrong.' }),
  });
  const failures = [...commonErrors, ...route.errors].toSorted((one, other) => one - other);
  return {
    200: {
      description: 'Done.',
      headers: answered,
      content: { 'application/json': { schema: route.body, example: route.example } },
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
  const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorStatuses, code);
  const error = Object.keys(errorStatuses)
    .filter(isCode)
    .find((code) => errorStatuses[code] === status);
  return { error: error ?? 'internal_error', code: status, message: reasons[status] };
}

function scopeText(scope: string): string {
  const [resource, verb] = scope.split(':');
  return verb === undefined ? 'Everything that the owner may do.' : `${verb} ${resource}`;
}
