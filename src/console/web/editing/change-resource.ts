import type { CombinedError } from '@urql/core';
import { requestRefresh } from '../api/refresh.js';
import { client } from '../api/client.js';
import { mutationProblem } from '../api/failure.js';
import { capitalize } from '../look/labels.js';
import { changeDocument } from './change-documents.js';
import type { Operation } from './change-text.js';
import type { Changeable } from './changeables.js';
import { missingFieldsIn } from './missing-fields.js';
import type { Patch } from './patch.js';

/** The changes of others since the resource was read. */
export interface Conflict {
  /** The author and the time of the last change; null if the change log no longer has it. */
  updatedBy: string | null;
  updatedAt: string | null;
  changedFields: readonly string[];
  /** The version that was found instead of the expected one. */
  currentVersion: number | null;
}

/** A violated rule. */
export interface Problem {
  /** The field, such as `spec.runtime.memory`; empty for the input as a whole. */
  path: string;
  message: string;
}

/** The error of a change. */
export interface Refusal {
  message: string;
  /** The violated rules with their fields. */
  problems: readonly Problem[];
  /** The conflicting changes, if the version differs. */
  conflict: Conflict | undefined;
  /** Whether the connection was lost, so that it is unknown whether the change was made. */
  isLost?: boolean;
}

export interface Answer {
  result: {
    __typename?: string;
    code?: string;
    message?: string;
    problems?: readonly { path: readonly string[]; message: string }[];
    updatedBy?: string | null;
    updatedAt?: string | null;
    changedFields?: readonly string[] | null;
    currentVersion?: number | null;
    /** The created execution. */
    jobExecution?: unknown;
  };
}

/** The scope of a resource as input fields: the workspace and the names of its owners. */
export type Place = Readonly<Record<string, string>>;

export interface Which {
  type: Changeable;
  scope: Place;
  name: string;
  /** The expected version; undefined for any version. */
  version: number | undefined;
}

export interface ChangeOptions {
  validateOnly?: boolean;
  /** Identifies the change, so that it is made once although it is sent again. */
  idempotencyKey?: string;
}

/** @returns the error; undefined if it was created or, with `validateOnly`, would be. */
export async function createResource(
  type: Changeable,
  scope: Place,
  input: Patch,
  { validateOnly = false, idempotencyKey }: ChangeOptions = {},
): Promise<Refusal | undefined> {
  return change('create', type, { ...scope, ...input, validateOnly }, idempotencyKey);
}

/** @returns the error; undefined if it was updated or, with `validateOnly`, would be. */
export async function updateResource(
  which: Which,
  patch: Patch,
  { validateOnly = false, idempotencyKey }: ChangeOptions = {},
): Promise<Refusal | undefined> {
  return change('update', which.type, { ...inputOf(which), ...patch, validateOnly }, idempotencyKey);
}

/** @returns the error; undefined if it was deleted. */
export async function deleteResource(which: Which): Promise<Refusal | undefined> {
  return change('delete', which.type, inputOf(which));
}

function inputOf({ scope, name, version }: Which): { name: string } {
  return { ...scope, name, ...(version === undefined ? {} : { ifVersion: version }) };
}

async function change(
  operation: Operation,
  type: Changeable,
  input: { validateOnly?: boolean; [field: string]: unknown },
  idempotencyKey?: string,
): Promise<Refusal | undefined> {
  const problems = missingFieldsIn(`${capitalize(operation)}${type}Input`, input);
  if (problems.length > 0) return { message: 'Fill in the required fields.', problems, conflict: undefined };
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const { data, error } = await client
    .mutation<Answer, { input: object }>(changeDocument(operation, type), { input }, { fetchOptions: { headers } })
    .toPromise();
  const refusal = refusalIn(data?.result, error, input.validateOnly);
  if (refusal === undefined && input.validateOnly !== true) requestRefresh();
  return refusal;
}

/** Reads the error from the response of a mutation. */
export function refusalIn(
  result: Answer['result'] | undefined,
  error: CombinedError | undefined,
  validateOnly?: boolean,
): Refusal | undefined {
  if (error !== undefined || result === undefined) {
    if (error === undefined)
      return { message: 'The service did not respond. Try again.', problems: [], conflict: undefined };
    const isLost = error.networkError !== undefined;
    return { message: mutationProblem(error, validateOnly), problems: mistypedIn(error), conflict: undefined, isLost };
  }
  if (result.message === undefined) return undefined;
  return {
    message: result.message,
    problems: (result.problems ?? []).map(({ path, message }) => ({ path: path.join('.'), message })),
    conflict: result.code === 'version_mismatch' ? conflictIn(result) : undefined,
  };
}

/** The error messages. */
export function messagesOf({ message, problems }: Refusal): string[] {
  return problems.length === 0 ? [message] : problems.map((problem) => problem.message);
}

/** The fields with values of the wrong GraphQL type. */
function mistypedIn({ graphQLErrors }: CombinedError): Problem[] {
  return graphQLErrors.flatMap(({ message }) => {
    const [, path, rule] = /^Variable "\$input" got invalid value .* at "input\.([^"]+)"; (.+)$/s.exec(message) ?? [];
    return path === undefined || rule === undefined ? [] : [{ path, message: `${path} ${ruleOfType(rule)}` }];
  });
}

/** The message for a value of the wrong type, in the style of the other rules. */
function ruleOfType(rule: string): string {
  if (rule.startsWith('Int ')) return 'must be a whole number';
  if (/^Field .* is not defined/.test(rule)) return 'has an unknown field';
  return `is not valid: ${rule}`;
}

function conflictIn(result: Answer['result']): Conflict {
  const { updatedBy = null, updatedAt = null, changedFields, currentVersion = null } = result;
  return { updatedBy, updatedAt, changedFields: changedFields ?? [], currentVersion };
}
