import type { CombinedError } from '@urql/core';
import type { DocumentNode } from 'graphql';
import { requestRefresh } from '../api/refresh.js';
import { client } from '../api/client.js';
import { failureFrom } from '../api/failure.js';
import { changeDocument } from './change-documents.js';
import type { Changeable } from './changeables.js';
import type { Patch } from './patch.js';

/** What somebody else did to it since it was read. */
export interface ForeignChange {
  version: number;
  time: string;
  by: string | null;
  fields: string[];
}

/** One rule that is broken. */
export interface Problem {
  /** The field, such as `spec.runtime.memory`; empty for the input as a whole. */
  path: string;
  message: string;
}

/** Why nothing was changed. */
export interface Refusal {
  message: string;
  /** Each rule that is broken, with its field. */
  problems: readonly Problem[];
  /** What was done meanwhile, where that is why. */
  since: readonly ForeignChange[] | undefined;
}

interface Answer {
  result: {
    code?: string;
    message?: string;
    problems?: readonly { path: readonly string[]; message: string }[];
    details?: unknown;
    /** Of one that was made. */
    jobExecution?: unknown;
  };
}

/** Where something is, in the words of the inputs: the workspace, and the names of what it belongs to. */
export type Place = Readonly<Record<string, string>>;

export interface Which {
  type: Changeable;
  place: Place;
  name: string;
  /** The version that the change is made on the condition of; undefined for whatever it has become. */
  version: number | undefined;
}

/** @returns why it was not made; undefined when it was, or with `validateOnly` when it would be. */
export async function createResource(
  type: Changeable,
  place: Place,
  input: Patch,
  validateOnly = false,
): Promise<Refusal | undefined> {
  return change(changeDocument('create', type), { ...place, ...input, validateOnly });
}

/** @returns why it was not changed; undefined when it was, or with `validateOnly` when it would be. */
export async function updateResource(which: Which, patch: Patch, validateOnly = false): Promise<Refusal | undefined> {
  return change(changeDocument('update', which.type), { ...inputOf(which), ...patch, validateOnly });
}

/** @returns why it was not deleted; undefined when it was. */
export async function deleteResource(which: Which): Promise<Refusal | undefined> {
  return change(changeDocument('delete', which.type), inputOf(which));
}

function inputOf({ place, name, version }: Which): { name: string } {
  return { ...place, name, ...(version === undefined ? {} : { ifVersion: version }) };
}

async function change(
  document: DocumentNode,
  input: { validateOnly?: boolean; [field: string]: unknown },
): Promise<Refusal | undefined> {
  const { data, error } = await client.mutation<Answer, { input: object }>(document, { input }).toPromise();
  const refusal = refusalIn(data?.result, error);
  if (refusal === undefined && input.validateOnly !== true) requestRefresh();
  return refusal;
}

/** Reads why a change was refused from what answered it. */
export function refusalIn(result: Answer['result'] | undefined, error: CombinedError | undefined): Refusal | undefined {
  if (error !== undefined || result === undefined) {
    if (error === undefined) return { message: 'Nothing answered. Try again.', problems: [], since: undefined };
    const { title, message } = failureFrom(error);
    return { message: `${title}. ${message}`, problems: mistypedIn(error), since: undefined };
  }
  if (result.message === undefined) return undefined;
  return {
    message: result.message,
    problems: (result.problems ?? []).map(({ path, message }) => ({ path: path.join('.'), message })),
    since: result.code === 'version_mismatch' ? changesIn(result.details) : undefined,
  };
}

/** All that is wrong, in sentences. */
export function messagesOf({ message, problems }: Refusal): string[] {
  return problems.length === 0 ? [message] : problems.map((problem) => problem.message);
}

/** The field whose value GraphQL itself could not take, as its errors name it. */
function mistypedIn({ graphQLErrors }: CombinedError): Problem[] {
  return graphQLErrors.flatMap(({ message }) => {
    const [, path, rule] = /^Variable "\$input" got invalid value .* at "input\.([^"]+)"; (.+)$/s.exec(message) ?? [];
    return path === undefined || rule === undefined ? [] : [{ path, message: `${path} ${ruleOfType(rule)}` }];
  });
}

/** What GraphQL says of a value of another type, in the words of the other rules. */
function ruleOfType(rule: string): string {
  if (rule.startsWith('Int ')) return 'must be a whole number';
  if (rule.startsWith('Field ')) return 'has a field that there is not';
  return `is not valid: ${rule}`;
}

function changesIn(details: unknown): ForeignChange[] {
  return listIn(details, 'changes').map((told) => ({
    version: Number(valueIn(told, 'version')),
    time: textIn(told, 'time'),
    by: valueIn(told, 'by') == null ? null : textIn(told, 'by'),
    fields: listIn(told, 'fields').map(String),
  }));
}

function listIn(holder: unknown, name: string): readonly unknown[] {
  const value = valueIn(holder, name);
  return Array.isArray(value) ? value : [];
}

function textIn(holder: unknown, name: string): string {
  return String(valueIn(holder, name) ?? '');
}

function valueIn(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.entries(holder).find(([key]) => key === name)?.[1];
}
