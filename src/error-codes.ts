// The codes of errors and of the problems of an input, as closed lists. docs/errors.md is generated from them.

interface ErrorCodeEntry {
  /** The HTTP status. */
  status: number;
  /** When the error occurs. */
  description: string;
  /** The remedy for the caller. */
  action: string;
}

/** Every error code of a response. The list only grows (decision 5). */
export const errorCodes = {
  invalid_request: {
    status: 400,
    description: 'The request cannot be parsed: invalid JSON, an invalid header, or an invalid GraphQL document.',
    action: 'Correct the request. The message says which part is invalid.',
  },
  invalid_parameter: {
    status: 400,
    description: 'A parameter, argument or header has an invalid value. `field` names it.',
    action: 'Send a value that the message allows.',
  },
  invalid_input: {
    status: 400,
    description: 'Fields of the input are invalid. `problems` lists all of them.',
    action: 'Correct each field in `problems`.',
  },
  invalid_api_version: {
    status: 400,
    description: 'The version header is not a date.',
    action: 'Send a date such as `2026-04-28`, or leave the header out.',
  },
  workspace_required: {
    status: 400,
    description: 'The credential has access to several workspaces, and the request does not name one.',
    action: 'Name a workspace in the workspace header, or in the `workspace` argument.',
  },
  cursor_invalid: {
    status: 400,
    description: 'This service did not issue the cursor.',
    action: 'Send a cursor from a response, unchanged, or start from the first page.',
  },
  cursor_expired: {
    status: 400,
    description: 'The cursor is too old.',
    action: 'Start again from the first page. For the change log, read the lists again and continue from `resumeFrom`.',
  },
  cursor_mismatch: {
    status: 400,
    description: 'The cursor belongs to another query.',
    action:
      'Keep the workspace, filters and order of the query that returned the cursor, or start from the first page.',
  },
  query_too_complex: {
    status: 400,
    description: 'The GraphQL query exceeds a limit: its cost, depth, length, or number of fields.',
    action: 'Select fewer fields, request smaller pages, or split the query.',
  },
  persisted_query_not_found: {
    status: 400,
    description: 'No persisted query has this hash.',
    action: 'Send the query text along with the hash once. GraphQL clients do this automatically.',
  },
  document_not_trusted: {
    status: 400,
    description: 'The service runs only trusted documents, and this document is not one of them.',
    action: 'Send the `documentId` of a trusted document.',
  },
  unauthorized: {
    status: 401,
    description: 'The credential is missing, invalid, expired or revoked.',
    action: 'Send a valid API key or access token as `Authorization: Bearer …`.',
  },
  forbidden: {
    status: 403,
    description: 'The credential lacks a scope, or its owner lacks a role.',
    action: 'Use a credential with the required scope, or ask an admin for the role.',
  },
  access_denied: {
    status: 403,
    description: 'The account, or a part of it, is not accessible to the caller.',
    action: 'Check the account and workspace in the request.',
  },
  not_found: {
    status: 404,
    description: 'No accessible resource has this name, or no endpoint has this path.',
    action: 'Check the name, the path and the workspace.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The endpoint does not support the HTTP method.',
    action: 'Use a method of the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    description: 'The endpoint cannot return a media type of the `Accept` header.',
    action: 'Send an `Accept` header with a media type that the message names.',
  },
  request_timeout: {
    status: 408,
    description: 'The request took too long to arrive.',
    action: 'Send the request again. Send a large body without pauses.',
  },
  reader_too_slow: {
    status: 408,
    description: 'The service closed the subscription because the client read too slowly.',
    action: 'Subscribe again from `resumeFrom`, and read events as they arrive.',
  },
  conflict: {
    status: 409,
    description: 'The current state does not allow the change.',
    action: 'Read the resource again. Change its state first, or retry if the message says so.',
  },
  name_taken: {
    status: 409,
    description: 'Another resource has this name.',
    action: 'Choose another name.',
  },
  version_mismatch: {
    status: 409,
    description: 'The resource changed after the version in the request.',
    action:
      'Read the resource again, merge your change, and send the new version. `changedFields` lists the changed fields.',
  },
  in_use: {
    status: 409,
    description: 'Other resources use the resource. `usedBy` lists them.',
    action: 'Update or delete the resources in `usedBy` first.',
  },
  protected: {
    status: 409,
    description: 'The resource, or a resource that would be deleted with it, is protected from deletion.',
    action: 'If it is to be deleted, set `metadata.protected` to false with an update first.',
  },
  not_deletable: {
    status: 409,
    description: 'The resource cannot be deleted in its current state.',
    action: 'Do what the message says first, such as cancel the execution or empty the workspace.',
  },
  last_admin: {
    status: 409,
    description: 'The change would leave the account without an admin.',
    action: 'Make another member an admin first.',
  },
  share_not_pending: {
    status: 409,
    description: 'The image share is already accepted, declined or withdrawn.',
    action: 'Read the share again. Create a new one if you still need it.',
  },
  already_shared: {
    status: 409,
    description: 'The image is already shared with the workspace.',
    action: 'Use the existing share.',
  },
  quota_exceeded: {
    status: 409,
    description: 'The change would exceed a quota of the account, the workspace or the region.',
    action: "Delete or disable what you no longer need, or ask the platform's administrators to raise the limit.",
  },
  budget_exceeded: {
    status: 409,
    description: 'A budget with the action STOP is used up.',
    action: 'Raise the amount of the budget or set its action to NOTIFY. A monthly budget ends with its month.',
  },
  lease_lost: {
    status: 409,
    description: 'The executor no longer holds the lease of the assignment.',
    action: 'Stop the work, do not report on it again, and claim the next assignment.',
  },
  stale_generation: {
    status: 409,
    description:
      'The executor reports on a deployment that is not the current one: the desired state changed, or another executor has the resource.',
    action: 'Do not report on this generation again. Read `executorAssignments`, or claim the next assignment.',
  },
  idempotency_key_in_use: {
    status: 409,
    description: 'The first request with this idempotency key is still running.',
    action: 'Retry after the time in `Retry-After`. The response will be the one of the first request.',
  },
  payload_too_large: {
    status: 413,
    description: 'The request body is too large.',
    action: 'Send a smaller body. Split a batch into several requests.',
  },
  unsupported_media_type: {
    status: 415,
    description: 'The endpoint does not support the `Content-Type` or `Content-Encoding` of the body.',
    action: 'Send the body in a format that the message names.',
  },
  idempotency_key_reused: {
    status: 422,
    description: 'The idempotency key was used for a different request in the last 24 hours.',
    action: 'Create a new key for each request. Reuse a key only to retry the same request.',
  },
  too_many_requests: {
    status: 429,
    description: 'The caller exceeded a rate limit.',
    action: 'Wait for the time in `Retry-After`, then retry.',
  },
  headers_too_large: {
    status: 431,
    description: 'The URL and the headers are too large.',
    action: 'Send fewer or shorter headers, or a shorter URL.',
  },
  internal_error: {
    status: 500,
    description: 'The service failed unexpectedly.',
    action: 'Retry later. If the error persists, report it with its request id (`X-Request-Id`).',
  },
  unavailable: {
    status: 503,
    description: 'The service, or a system that it depends on, is temporarily unavailable.',
    action: 'Retry after the time in `Retry-After`.',
  },
  timeout: {
    status: 504,
    description: 'The request exceeded a time limit.',
    action: 'Request less data: a shorter period, a smaller page, or fewer fields. Then retry.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

/** Every rule that an input field can violate. The list only grows. */
export const problemCodes = {
  required: 'The field is missing or null. Send a value.',
  invalid_type: 'The value has the wrong type, such as a string instead of a number.',
  invalid_value: 'The value is not one of the allowed values.',
  invalid_format: 'The text does not have the required format.',
  too_small: 'The number is below the minimum.',
  too_large: 'The number, or the size of the whole value, is above the maximum.',
  too_short: 'The text or list is shorter than the minimum.',
  too_long: 'The text or list is longer than the maximum.',
  duplicate: 'Another entry of the list has the same value. Values must be unique.',
  not_available: 'The field is not allowed in combination with another field.',
  immutable: 'The field cannot be changed after creation.',
  unknown_field: 'The input has no such field. Check the spelling.',
} as const;

export type ProblemCode = keyof typeof problemCodes;
