// docs/errors.md: every error code, with its status, its cause, what to do, and an example.
import { STATUS_CODES } from 'node:http';
import { errorCodes, problemCodes } from '../../../error-codes.js';
import type { ErrorCode } from '../../../error-codes.js';
import {
  ApiError,
  credentialRequired,
  internalError,
  invalidInput,
  invalidParameter,
  invalidRequest,
  notFound,
  scopeRequired,
  timedOut,
  tooManyRequests,
  unavailable,
} from '../../../errors.js';
import { methodNotAllowed } from '../../../http/method.js';
import { leaseLost } from '../../../lifecycle/report.js';
import { cursorExpired } from '../../../pagination/cursor.js';
import { resultOf } from '../mutation.js';
import { extensionsOf } from './format-error.js';

type Form = 'rest' | 'query' | 'mutation';

const changedByOther = {
  version: 3,
  changes: [{ version: 3, time: '2026-11-20T12:00:00.000Z', by: 'ada@example.com', fields: ['spec.runtime'] }],
};
const usedBy = { count: 1, usedBy: [{ kind: 'VPC_CONNECTION', name: 'office' }] };

/** An error for each code, and where a client meets it. */
const examples: Readonly<Record<ErrorCode, readonly [Form, ApiError]>> = {
  invalid_request: ['rest', invalidRequest('The body is not valid JSON.')],
  invalid_parameter: ['rest', invalidParameter('limit', 'must be a whole number of at least 1')],
  invalid_input: [
    'mutation',
    invalidInput([
      { path: ['spec', 'runtime', 'image'], code: 'required', message: 'spec.runtime.image is required' },
      { path: ['metadata', 'name'], code: 'too_long', message: 'metadata.name must be at most 63 characters long' },
    ]),
  ],
  invalid_api_version: [
    'rest',
    new ApiError('invalid_api_version', 'X-Service-Api-Version must be a date such as 2026-04-28'),
  ],
  workspace_required: [
    'rest',
    new ApiError(
      'workspace_required',
      'This credential has access to several workspaces. Name one in the workspace header.',
    ),
  ],
  cursor_invalid: [
    'rest',
    new ApiError('cursor_invalid', 'cursor was not issued by this service', { field: 'cursor' }),
  ],
  cursor_expired: ['query', cursorExpired('after')],
  cursor_mismatch: [
    'rest',
    new ApiError('cursor_mismatch', 'cursor belongs to another query: workspace, filters and order must stay the same'),
  ],
  query_too_complex: [
    'query',
    new ApiError('query_too_complex', 'The query is 21 levels deep; at most 20 are allowed.'),
  ],
  persisted_query_not_found: ['query', new ApiError('persisted_query_not_found', 'PersistedQueryNotFound')],
  document_not_trusted: [
    'query',
    new ApiError('document_not_trusted', 'This service runs only trusted documents. Send a documentId.'),
  ],
  unauthorized: ['rest', credentialRequired('Send an API key or an access token as "Authorization: Bearer …".')],
  forbidden: ['rest', scopeRequired('agents:list')],
  access_denied: ['query', new ApiError('access_denied', 'Access denied.')],
  not_found: ['rest', notFound('agent', 'support')],
  method_not_allowed: ['rest', methodNotAllowed(['GET', 'POST'])],
  not_acceptable: [
    'query',
    new ApiError('not_acceptable', 'A subscription returns text/event-stream. Accept this media type.'),
  ],
  request_timeout: ['rest', new ApiError('request_timeout', 'The request took too long to arrive.')],
  reader_too_slow: [
    'query',
    new ApiError('reader_too_slow', 'The client reads changes too slowly. Subscribe again from resumeFrom.', {
      resumeFrom: '…',
    }),
  ],
  conflict: [
    'mutation',
    new ApiError('conflict', 'The execution is completed: it has ended and cannot be cancelled.', {
      details: { status: 'completed' },
    }),
  ],
  name_taken: [
    'mutation',
    new ApiError('name_taken', 'The name "support" is taken by another agent.', { field: 'metadata.name' }),
  ],
  version_mismatch: [
    'mutation',
    new ApiError('version_mismatch', 'The agent has version 3, not 2. Read it again, and send its version.', {
      details: changedByOther,
    }),
  ],
  in_use: [
    'mutation',
    new ApiError('in_use', 'The egress gateway "main" is in use by the vpc connection "office".', { details: usedBy }),
  ],
  not_deletable: [
    'mutation',
    new ApiError(
      'not_deletable',
      'The workspace main is not empty (agent: 2). Delete its resources first, or call deleteWorkspace with force.',
      { details: { holds: [{ kind: 'AGENT', count: 2 }] } },
    ),
  ],
  last_admin: [
    'mutation',
    new ApiError('last_admin', 'This is the last admin of the account. Make another member an admin first.'),
  ],
  share_not_pending: [
    'rest',
    new ApiError('share_not_pending', 'This share is no longer pending. Its status is declined.'),
  ],
  already_shared: [
    'mutation',
    new ApiError('already_shared', 'The workspace staging already has the image.', { field: 'targetWorkspace' }),
  ],
  lease_lost: ['mutation', leaseLost()],
  idempotency_key_in_use: [
    'query',
    new ApiError(
      'idempotency_key_in_use',
      'The first request with this Idempotency-Key is still running. Retry to get its response.',
      { headers: { 'Retry-After': '1' } },
    ),
  ],
  payload_too_large: ['rest', new ApiError('payload_too_large', 'A request body may have at most 1048576 bytes.')],
  unsupported_media_type: [
    'rest',
    new ApiError('unsupported_media_type', 'Send the body with Content-Type: application/json.'),
  ],
  idempotency_key_reused: [
    'rest',
    new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request in the last 24 hours. Use a new key for each request.',
    ),
  ],
  too_many_requests: [
    'query',
    tooManyRequests('This credential has used all requests of this minute. Retry after the time in Retry-After.', 12),
  ],
  headers_too_large: ['rest', new ApiError('headers_too_large', 'The URL and the headers are too large.')],
  internal_error: ['rest', internalError(undefined)],
  unavailable: ['query', unavailable('The database cannot be reached. Try again.')],
  timeout: ['rest', timedOut()],
};

const introduction = `# Errors

Every error code of the API: when it occurs and what to do. For engineers who handle errors. Generated from
\`src/error-codes.ts\`.

Handle errors by their code. Codes are stable, but messages can change. New codes can be added: treat an unknown code
like the HTTP status of the error.

## Where to find the code

- REST returns the body \`{error, code, message}\`. \`error\` is the error code, and \`code\` is the HTTP status.
- A GraphQL query or subscription returns \`errors\`. \`extensions.code\` is the error code. \`extensions\` also has \`status\`,
  \`requestId\` and, where they apply, \`field\`, \`retryAfterSeconds\` and \`resumeFrom\`.
- A GraphQL mutation returns an error of the caller as data: \`InvalidInputError\` (400), \`ForbiddenError\` (403),
  \`NotFoundError\` (404) or \`ConflictError\` (409). Other errors are in \`errors\`, as for a query.
- OAuth endpoints return the errors of the RFCs ([oauth.md](oauth.md)).

Every response has the header \`X-Request-Id\`. Include its value when you report a problem.

Retry 408, 429, 503 and 504, after the time in \`Retry-After\` if the response has it. Send changes with an
\`Idempotency-Key\`, so that a retry is applied only once ([writing.md](writing.md)).`;

/** The text of docs/errors.md. */
export async function printErrorsPage(): Promise<string> {
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))];
  const sections = statuses.map(async (status) => {
    const ofStatus = codes.filter((code) => errorCodes[code].status === status);
    const entries = await Promise.all(ofStatus.map((code) => entryOf(code)));
    return [`## ${status} ${STATUS_CODES[status]}`, ...entries].join('\n\n');
  });
  const problems = Object.entries(problemCodes).map(([code, description]) => `- \`${code}\`: ${description}`);
  const problemsSection = `## Problems of an input

Each entry of \`problems\` of an \`invalid_input\` error has the \`path\` of a field, a \`message\`, and one of these codes:

${problems.join('\n')}`;
  return `${[introduction, ...(await Promise.all(sections)), problemsSection].join('\n\n')}\n`;
}

async function entryOf(code: ErrorCode): Promise<string> {
  const { description, action } = errorCodes[code];
  // Short lists stand on one line, as prettier has them.
  const example = JSON.stringify(await exampleOf(code), null, 2).replaceAll(
    /\[\s+("[^\]{]*")\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/,\s+"/g, ', "')}]`,
  );
  return `### ${code}\n\n${description}\n\n**What to do:** ${action}\n\n\`\`\`json\n${example}\n\`\`\``;
}

/** The REST body, an entry of GraphQL's `errors`, or the result of a mutation. */
async function exampleOf(code: ErrorCode): Promise<object> {
  const [form, error] = examples[code];
  if (form === 'rest') return error.toBody();
  if (form === 'query') return { message: error.message, extensions: extensionsOf(error, '…') };
  const { typename, problems, ...rest } = await resultOf<{ typename: string; problems: unknown }>(() =>
    Promise.reject(error),
  );
  return { __typename: typename, ...rest, ...(code === 'invalid_input' ? { problems } : {}) };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
