/** Every code that an answer can carry, with its HTTP status. The list only grows (decision 5). */
export const errorStatuses = {
  invalid_request: 400,
  invalid_parameter: 400,
  invalid_api_version: 400,
  workspace_required: 400,
  cursor_invalid: 400,
  cursor_expired: 400,
  cursor_mismatch: 400,
  query_too_complex: 400,
  unauthorized: 401,
  forbidden: 403,
  access_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  share_not_pending: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal_error: 500,
  unavailable: 503,
  timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

interface ApiErrorOptions {
  /** Where bad input stood: the name of a query parameter, or the path of an argument. */
  field?: string;
  /** Response headers that belong to the error: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** What went wrong inside. It is logged and never leaves the process. */
  cause?: unknown;
}

/** The one error of this API. `message` is public; `cause` is not. */
export class ApiError extends Error {
  readonly error: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly headers: Record<string, string>;

  constructor(error: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.error = error;
    this.status = errorStatuses[error];
    this.field = options.field;
    this.headers = options.headers ?? {};
  }

  /** The Error body of the specification, with `code` always present. */
  toBody(): { error: ErrorCode; code: number; message: string } {
    return { error: this.error, code: this.status, message: this.message };
  }
}

/** A parameter, argument or header that breaks a rule. The message names both. */
export function invalidParameter(field: string, rule: string): ApiError {
  return new ApiError('invalid_parameter', `${field} ${rule}`, { field });
}

/** A request that cannot be read at all. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

/** No credential, or one that is not, or no longer, valid. RFC 6750, section 3. */
export function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** A known caller without the right. The message must not tell what exists. */
export function forbidden(message: string): ApiError {
  return new ApiError('forbidden', message);
}

export function notFound(kind: string, name: string): ApiError {
  return new ApiError('not_found', `There is no ${kind} named ${JSON.stringify(name)} here.`);
}

/** An error whose inside is not the caller's business. The cause is for the log. */
export function internalError(cause: unknown): ApiError {
  return new ApiError('internal_error', 'Something went wrong on our side. Quote the request id when you report it.', {
    cause,
  });
}

/** Something that this process depends on does not answer now. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** A statement that ran over its time limit. */
export function timedOut(cause?: unknown): ApiError {
  return new ApiError('timeout', 'The database took too long to answer. Ask for less, or try again.', { cause });
}
