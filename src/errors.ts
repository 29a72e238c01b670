import { errorCodes } from './error-codes.js';
import type { ErrorCode, ProblemCode } from './error-codes.js';

/** A rule that a field of an input breaks. */
export interface Problem {
  /** From the input down, in the caller's words: `spec`, `triggers`, `0`, `type`. */
  path: string[];
  code: ProblemCode;
  /** The field and the rule, for people. */
  message: string;
  /** The bound that the value exceeds: a number, or the size of a text, list or object. */
  limit?: number | undefined;
  /** The value or size in the input. */
  actual?: number | undefined;
}

/** A limit that a request exceeds. */
export interface ExceededLimit {
  limit: number;
  /** The value of the request; absent if the service stopped counting at the limit. */
  actual?: number | undefined;
}

/** The state that a change conflicts with. */
export interface ConflictState {
  /** The current version of the resource, and its last change. */
  currentVersion?: number;
  updatedBy?: string | null | undefined;
  updatedAt?: Date | undefined;
  /** Paths of the fields that changed after the expected version. */
  changedFields?: readonly string[];
  /** The first resources that use the resource, and how many there are. */
  usedBy?: readonly { kind: string; name: string }[];
  usedByCount?: number;
  /** The resources in a workspace, by kind. */
  contents?: readonly { kind: string; count: number }[];
}

interface ApiErrorOptions {
  /** Where bad input stood: the name of a query parameter, or the path of an argument. */
  field?: string;
  /** Everything that is wrong with an input. */
  problems?: readonly Problem[];
  conflict?: ConflictState;
  exceeded?: ExceededLimit | undefined;
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
  readonly conflict: ConflictState | undefined;
  readonly exceeded: ExceededLimit | undefined;
  readonly resumeFrom: string | undefined;
  readonly headers: Record<string, string>;
  readonly owner: CredentialOwner | undefined;

  constructor(error: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.error = error;
    this.status = errorCodes[error].status;
    this.field = options.field;
    this.problems = options.problems;
    this.conflict = options.conflict;
    this.exceeded = options.exceeded;
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
export function invalidParameter(field: string, rule: string, exceeded?: ExceededLimit): ApiError {
  return new ApiError('invalid_parameter', `${field} ${rule}`, { field, exceeded });
}

/** How many problems the message of an error tells; `problems` holds all of them. */
const problemsListedMax = 5;

/** An input that breaks rules: all of them at once. */
export function invalidInput(problems: readonly Problem[]): ApiError {
  const listed = problems.slice(0, problemsListedMax).map(({ message }) => message);
  const more = problems.length - listed.length;
  const message = more > 0 ? [...listed, `and ${more} more`] : listed;
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

/** A known caller whose credential lacks scopes. RFC 6750, section 3.1. */
export function scopeRequired(...scopes: string[]): ApiError {
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  const headers = { 'WWW-Authenticate': challenge };
  const names = scopes.length === 1 ? `scope ${scopes[0]}` : `scopes ${scopes.join(', ')}`;
  return new ApiError('forbidden', `This credential lacks the ${names}.`, { headers });
}

/** The same refusal, with the URL that tells where a credential comes from: RFC 9728, section 5.1. */
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
  return new ApiError('not_found', `There is no ${kind} named ${quoted(name)} here.`);
}

/** The error for the id of a resource that does not exist or is not accessible to the caller. */
export function unknownId(kind: string): ApiError {
  return new ApiError('not_found', `There is no ${kind} with this id.`, { field: 'id' });
}

const quotedLengthMax = 100;

/** A value of the caller's as a message quotes it: as JSON, cut to 100 characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return cutText(text, quotedLengthMax);
}

/** A text that is cut after a number of characters, not between the two halves of a surrogate pair. */
export function cutText(value: string, lengthMax: number): string {
  return value.length <= lengthMax ? value : `${value.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** An error whose inside is not the caller's business. The cause is for the log. */
export function internalError(cause: unknown): ApiError {
  return new ApiError('internal_error', 'The service failed unexpectedly. Report it with the request ID.', {
    cause,
  });
}

/** Something that this process depends on does not answer now. */
export function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** The client disconnected during its request. Nobody gets this error, and it is no failure of the service. */
export class ClientGone extends ApiError {
  constructor() {
    super('unavailable', 'The client closed the connection.');
  }
}

/** More than one caller may have of what all share. */
export function tooManyRequests(message: string, retryAfterSeconds: number, exceeded?: ExceededLimit): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new ApiError('too_many_requests', message, { headers, exceeded });
}

/** A GraphQL operation that ran over its time limit. */
export function operationTimedOut(msMax: number): ApiError {
  return new ApiError('timeout', `The operation took longer than ${msMax} ms. Request less data, or try again.`);
}

/** A statement that ran over its time limit. */
export function timedOut(cause?: unknown): ApiError {
  return new ApiError('timeout', 'The database took too long to respond. Request less data, or try again.', { cause });
}
