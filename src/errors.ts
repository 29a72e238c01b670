/** Every code that an answer can carry, with its HTTP status. The list only grows (decision 5). */
export const errorStatuses = {
  invalid_request: 400,
  invalid_parameter: 400,
  invalid_input: 400,
  invalid_api_version: 400,
  workspace_required: 400,
  cursor_invalid: 400,
  cursor_expired: 400,
  cursor_mismatch: 400,
  query_too_complex: 400,
  persisted_query_not_found: 400,
  document_not_trusted: 400,
  unauthorized: 401,
  forbidden: 403,
  access_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  reader_too_slow: 408,
  conflict: 409,
  name_taken: 409,
  version_mismatch: 409,
  in_use: 409,
  not_deletable: 409,
  last_admin: 409,
  share_not_pending: 409,
  already_shared: 409,
  lease_lost: 409,
  idempotency_key_in_use: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** What each code says. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request cannot be read, or is no valid GraphQL.',
  invalid_parameter: 'A parameter, an argument or a header breaks a rule; `field` names it.',
  invalid_input: 'Fields of an input break rules; `problems` holds all of them.',
  invalid_api_version: 'The version header holds no date.',
  workspace_required: 'The credential reaches several workspaces, and none was named.',
  cursor_invalid: 'The cursor was not issued by this service.',
  cursor_expired: 'The cursor is too old: start again from the first page.',
  cursor_mismatch: 'The cursor belongs to another query.',
  query_too_complex: 'The query costs more than is allowed, or is too deep or too long.',
  persisted_query_not_found: 'No document of this hash is known: send it along once.',
  document_not_trusted: 'Only documents that the service was given are run.',
  unauthorized: 'There is no credential, or it is not valid any more.',
  forbidden: 'The credential, or who owns it, may not do that.',
  access_denied: 'It belongs to an account, or to parts of one, that the caller does not see.',
  not_found: 'There is nothing of that name within reach.',
  method_not_allowed: 'The address takes other methods.',
  not_acceptable: 'There is no answer of the media types that were asked for.',
  request_timeout: 'The request came too slowly.',
  reader_too_slow: 'The stream was ended, as its reader was too far behind.',
  conflict: 'The state of things does not allow it.',
  name_taken: 'There is something of that name already.',
  version_mismatch: 'It was changed since the version that was given.',
  in_use: 'Something uses it; `details` says what.',
  not_deletable: 'It cannot be deleted as it now is.',
  last_admin: 'It would leave the account without an admin.',
  lease_lost: 'The claim is over, or is another executor’s by now.',
  share_not_pending: 'The offer was accepted, declined or taken back already.',
  already_shared: 'The image is offered there already.',
  idempotency_key_in_use: 'The first request of this key is still at work.',
  payload_too_large: 'The request is larger than is taken.',
  unsupported_media_type: 'The request is of a media type that is not taken.',
  idempotency_key_reused: 'The key was used for another request.',
  too_many_requests: 'That is more than the rate allows; wait before the next.',
  headers_too_large: 'The headers are larger than is taken.',
  internal_error: 'Something went wrong in the service.',
  unavailable: 'Something that the service depends on does not answer now.',
  timeout: 'It took longer than is allowed.',
};

/** What can be wrong with a field of an input. The list only grows. */
export const problemCodes = {
  required: 'The field is missing, or must not be removed.',
  invalid_type: 'The value is of another type.',
  invalid_value: 'The value is none of those that are allowed.',
  invalid_format: 'The text does not have the form that it must have.',
  too_small: 'The number is under the least that is allowed.',
  too_large: 'The number, or the size of the whole, is over the most that is allowed.',
  too_short: 'The text or the list holds too little.',
  too_long: 'The text or the list holds too much.',
  duplicate: 'Another of the same list has it already.',
  not_available: 'Another field does not allow it.',
  immutable: 'The field never changes.',
  unknown_field: 'There is no such field.',
} as const;

export type ProblemCode = keyof typeof problemCodes;

/** A rule that a field of an input breaks. */
export interface Problem {
  /** From the input down, in the caller's words: `spec`, `triggers`, `0`, `type`. */
  path: string[];
  code: ProblemCode;
  /** The field and the rule, for people. */
  message: string;
}

/** What an error tells beside its message, as JSON. */
export type Details = string | number | boolean | null | Details[] | { [name: string]: Details };

interface ApiErrorOptions {
  /** Where bad input stood: the name of a query parameter, or the path of an argument. */
  field?: string;
  /** Everything that is wrong with an input. */
  problems?: Problem[];
  /** What else the caller can use of a conflict: who changed it since, or what uses it. */
  details?: Details;
  /** The cursor from which to go on. */
  resumeFrom?: string;
  /** Response headers that belong to the error: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** What went wrong inside. It is logged and never leaves the process. */
  cause?: unknown;
  /** Whose credential was refused, where it is known. It never leaves the process. */
  owner?: CredentialOwner | undefined;
}

/** Whose a credential is that opens nothing. */
export interface CredentialOwner {
  accountId: string;
  principalId: string;
  /** Its kind and its label. */
  client: string;
}

/** The one error of this API. `message` is public; `cause` is not. */
export class ApiError extends Error {
  readonly error: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly problems: readonly Problem[] | undefined;
  readonly details: Details | undefined;
  readonly resumeFrom: string | undefined;
  readonly headers: Record<string, string>;
  readonly owner: CredentialOwner | undefined;

  constructor(error: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.error = error;
    this.status = errorStatuses[error];
    this.field = options.field;
    this.problems = options.problems;
    this.details = options.details;
    this.resumeFrom = options.resumeFrom;
    this.headers = options.headers ?? {};
    this.owner = options.owner;
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

/** How many problems the message of an error tells; `problems` holds all of them. */
const problemsToldMax = 5;

/** An input that breaks rules: all of them at once. */
export function invalidInput(problems: Problem[]): ApiError {
  const told = problems.slice(0, problemsToldMax).map(({ message }) => message);
  const more = problems.length - told.length;
  const message = more > 0 ? [...told, `and ${more} more`] : told;
  return new ApiError('invalid_input', message.join('; '), { problems });
}

/** A request that cannot be read at all. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

/** No credential at all. RFC 6750, section 3.1: then nothing is said of what is wrong with it. */
export function credentialRequired(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** A credential that is not, or no longer, valid. RFC 6750, section 3.1. */
export function unauthorized(message: string, owner?: CredentialOwner): ApiError {
  const challenge = `Bearer error="invalid_token", error_description="${quotable(message)}"`;
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge }, owner });
}

/** A known caller whose credential lacks a scope. RFC 6750, section 3.1. */
export function scopeRequired(scope: string): ApiError {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  const headers = { 'WWW-Authenticate': challenge };
  return new ApiError('forbidden', `This credential lacks the scope ${scope}.`, { headers });
}

/** The same refusal, with the address that tells where a credential comes from: RFC 9728, section 5.1. */
export function refusalPointingTo(metadataUrl: string, { error, message, headers, owner }: ApiError): ApiError {
  const challenge = headers['WWW-Authenticate'] ?? 'Bearer';
  const joint = challenge.includes('=') ? ', ' : ' ';
  return new ApiError(error, message, {
    headers: { ...headers, 'WWW-Authenticate': `${challenge}${joint}resource_metadata="${metadataUrl}"` },
    owner,
  });
}

/** What may stand in a quoted text of a header: RFC 6750, section 3. */
function quotable(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/** A known caller without the right. The message must not tell what exists. */
export function forbidden(message: string, owner?: CredentialOwner): ApiError {
  return new ApiError('forbidden', message, { owner });
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

/** More than one caller may have of what all share. */
export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError('too_many_requests', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

/** A GraphQL operation that ran over its time limit. */
export function operationTimedOut(msMax: number): ApiError {
  return new ApiError('timeout', `The operation took longer than ${msMax} milliseconds. Ask for less, or try again.`);
}

/** A statement that ran over its time limit. */
export function timedOut(cause?: unknown): ApiError {
  return new ApiError('timeout', 'The database took too long to answer. Ask for less, or try again.', { cause });
}
