// The changes of one user to a document. Only these are sent, so that other fields are not overwritten, and they can be
// applied to a newer version.
import { plainFrom } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';

export interface Fields {
  [name: string]: Plain;
}

/** The difference between two documents as update input: null removes a field, and a list replaces the whole list. */
export interface Patch {
  [name: string]: Plain | Patch | null;
}

export interface Difference {
  /** Such as `spec.runtime.memory`. */
  path: string;
  before: Plain | undefined;
  after: Plain | undefined;
}

export function patchBetween(before: Fields, after: Fields): Patch {
  const patch: Patch = {};
  for (const name of namesOf(before, after)) {
    const [old, next] = [valueOf(before, name), valueOf(after, name)];
    if (isSame(old, next)) continue;
    if (next === undefined) patch[name] = null;
    else if (isFields(next)) patch[name] = patchBetween(isFields(old) ? old : {}, next);
    else patch[name] = next;
  }
  return patch;
}

/** Applies a patch to a document. */
export function withPatch(document: Fields, patch: Patch): Fields {
  const result = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (isPatch(value)) {
      const inside = result[name];
      result[name] = withPatch(isFields(inside) ? inside : {}, value);
    } else result[name] = value;
  }
  return result;
}

/** The fields that differ, in document order. */
export function differencesBetween(before: Fields, after: Fields, within = ''): Difference[] {
  return namesOf(before, after).flatMap((name) => {
    const [old, next] = [valueOf(before, name), valueOf(after, name)];
    const path = within === '' ? name : `${within}.${name}`;
    if (isSame(old, next)) return [];
    if (isFields(old) && isFields(next)) return differencesBetween(old, next, path);
    return [{ path, before: old, after: next }];
  });
}

/** A field changed by another user, by this user, or by both. */
export interface Side {
  path: string;
  was: Plain | undefined;
  theirs: Plain | undefined;
  mine: Plain | undefined;
  /** Whether both changed it to different values. */
  isContested: boolean;
}

/** The changes of two users to one document, side by side. */
export function sidesOf(base: Fields, theirs: Fields, mine: Fields): Side[] {
  const paths = [...differencesBetween(base, theirs), ...differencesBetween(base, mine)].map(({ path }) => path);
  const outermost = [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
  return outermost.map((path) => {
    const [was, their, own] = [base, theirs, mine].map((document) => fieldOf(document, path));
    return {
      path,
      was,
      theirs: their,
      mine: own,
      isContested: ![their, was].some((value) => isSame(own, value)) && !isSame(their, was),
    };
  });
}

/** The values of a form as a document. */
export function fieldsOf(form: object): Fields {
  const plain = plainFrom(form);
  return isFields(plain) ? plain : {};
}

/**
 * The user's changes of a form, applied field by field on top of another user's. If both changed a field, the user's value
 * is used.
 */
export function rebased<Form extends object>(before: Form, mine: Form, theirs: Form): Form {
  const result = { ...theirs };
  const all: Form = { ...before, ...mine };
  for (const name in all) {
    if (JSON.stringify(before[name]) !== JSON.stringify(mine[name])) result[name] = mine[name];
  }
  return result;
}

function fieldOf(document: Fields, path: string): Plain | undefined {
  return Object.entries(document)
    .map(([name, value]): Plain | undefined => {
      if (path === name) return value;
      return path.startsWith(`${name}.`) && isFields(value) ? fieldOf(value, path.slice(name.length + 1)) : undefined;
    })
    .find((value) => value !== undefined);
}

export function isFields(value: Plain | undefined): value is Fields {
  return typeof value === 'object' && !Array.isArray(value);
}

function isPatch(value: Plain | Patch): value is Patch {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Labels can have keys that every object inherits, such as `constructor`. */
function valueOf(fields: Fields, name: string): Plain | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function namesOf(before: Fields, after: Fields): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function isSame(one: Plain | undefined, other: Plain | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
