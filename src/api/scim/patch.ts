// PATCH of users and groups (RFC 7644, section 3.5.2), with what Okta and Entra ID send beside the RFC: operations in any case,
// booleans as texts, paths as keys of a value, and values of a removal.
import { checkValueFilter } from '../../accounts/provisioning/filter.js';
import type { CheckedFilter, Filter } from '../../accounts/provisioning/filter.js';
import type { GroupAttributes, GroupChange } from '../../accounts/provisioning/provision-groups.js';
import { emailAttributes } from '../../accounts/provisioning/users.js';
import type { UserAttributes } from '../../accounts/provisioning/users.js';
import { quoted } from '../../errors.js';
import { attributeOf, booleanValue, isDocument, requireDocument, simpleValue } from './documents.js';
import type { Document } from './documents.js';
import { parsePath } from './filter-parser.js';
import type { AttributePath } from './filter-parser.js';
import { groupFromDocument, memberIds } from './group-resource.js';
import { ScimError, invalidSyntax, invalidValue } from './scim-error.js';
import { patchOperation } from './urns.js';
import { emailFrom, emailParts, emailsMax, nameParts, userFromDocument } from './user-resource.js';
import { matches } from './value-filter.js';

interface Operation {
  op: 'add' | 'remove' | 'replace';
  target: AttributePath;
  /** Undefined if it is absent, or null where null clears an attribute (RFC 7643, section 2.5). */
  value: unknown;
}

/** The maximum number of operations of a request, and of comparisons in all their paths. */
const operationsMax = 20_000;
const comparisonsMax = 20_000;

/** Reads the operations; each has a path afterwards. @throws {ScimError} 400 */
export function readOperations(body: unknown): Operation[] {
  const operations = attributeOf(requireDocument(body, patchOperation), 'Operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('Operations must be a list of at least one operation.');
  if (operations.length > operationsMax) throw invalidValue(`Operations must be at most ${operationsMax} operations.`);
  let comparisons = 0;
  return operations.flatMap((operation) => {
    const read = readOperation(operation);
    for (const { target } of read) comparisons += target.filter === undefined ? 0 : comparisonsIn(target.filter);
    if (comparisons > comparisonsMax)
      throw invalidValue(`The paths of Operations must have at most ${comparisonsMax} comparisons.`);
    return read;
  });
}

function comparisonsIn(filter: Filter): number {
  if ('filters' in filter) return filter.filters.reduce((sum, each) => sum + comparisonsIn(each), 0);
  return 'filter' in filter ? comparisonsIn(filter.filter) : 1;
}

function readOperation(operation: unknown): Operation[] {
  if (!isDocument(operation)) throw invalidSyntax('Each of Operations must be an object.');
  const word = attributeOf(operation, 'op');
  const op = typeof word === 'string' ? word.toLowerCase() : undefined;
  if (op !== 'add' && op !== 'remove' && op !== 'replace')
    throw invalidSyntax(`op must be add, remove or replace (got ${quoted(word)}).`);
  const path = attributeOf(operation, 'path');
  const value = attributeOf(operation, 'value');
  if (path !== undefined) {
    if (typeof path !== 'string') throw new ScimError(400, 'invalidPath', 'path must be a text.');
    const target = parsePath(path);
    const hasValue = Object.keys(operation).some((key) => key.toLowerCase() === 'value');
    if (op === 'remove') return [{ op, target, value: hasValue ? (value ?? null) : undefined }];
    // A missing value is a mistake of the client.
    if (!hasValue) throw invalidValue(`An operation ${op} must have a value.`);
    return [{ op, target, value }];
  }
  if (op === 'remove') throw new ScimError(400, 'noTarget', 'An operation remove must have a path.');
  if (!isDocument(value)) throw invalidValue(`An operation ${op} without a path must have an object as value.`);
  return Object.entries(value)
    .map(([key, part]): Operation => ({ op, target: parsePath(key), value: part ?? undefined }))
    .filter(({ target }) => !isReadOnly(target));
}

const readOnlyNames = ['id', 'meta', 'schemas', 'groups'];

function isReadOnly({ path }: AttributePath): boolean {
  return readOnlyNames.includes(path.toLowerCase().split('.')[0] ?? '');
}

/** Attributes of RFC 7643, section 4.1, that are not stored. Operations on them, and on extensions, change nothing. */
const ignoredNames = new Set(
  `nickName profileUrl title userType preferredLanguage locale timezone password phoneNumbers ims photos addresses
  entitlements roles x509Certificates name.middleName name.honorificPrefix name.honorificSuffix`
    .toLowerCase()
    .split(/\s+/),
);

function isIgnored({ path }: AttributePath): boolean {
  const lower = path.toLowerCase();
  return lower.startsWith('urn:') || ignoredNames.has(lower) || ignoredNames.has(lower.split('.')[0] ?? '');
}

function unknownPath({ path }: AttributePath): ScimError {
  return new ScimError(400, 'invalidPath', `${quoted(path)} is not an attribute of this resource.`);
}

/** @throws {ScimError} 400 `mutability` for an attribute that only the service writes. */
function requireWritable(target: AttributePath): void {
  if (isReadOnly(target)) throw new ScimError(400, 'mutability', `${target.path} is read-only.`);
}

/** A user after operations. @throws {ScimError} 400; 400 `invalid_input` */
export function patchedUser(before: UserAttributes, operations: readonly Operation[]): UserAttributes {
  const document: Document = { ...before };
  for (const operation of operations) applyToUser(document, operation);
  return userFromDocument(document, before.active);
}

function applyToUser(document: Document, { op, target, value }: Operation): void {
  requireWritable(target);
  const [name = '', sub = target.sub] = target.path.split('.');
  const lower = name.toLowerCase();
  const simple = (['userName', 'externalId', 'displayName', 'active'] as const).find(
    (each) => each.toLowerCase() === lower,
  );
  if (simple !== undefined && sub === undefined && target.filter === undefined) setSimple(document, simple, op, value);
  else if (lower === 'name' && target.filter === undefined && !isIgnored(target))
    document['name'] = patchedName(document['name'], op, sub, value, target);
  else if (lower === 'emails') {
    const before: unknown[] = Array.isArray(document['emails']) ? document['emails'] : [];
    const emails = patchedEmails(before, op, { ...target, ...(sub === undefined ? {} : { sub }) }, value);
    // After each operation: the next ones compare each of their values with each of these.
    if (emails.length > emailsMax) throw invalidValue(`emails must be at most ${emailsMax} values.`);
    document['emails'] = withNewPrimary(before, emails);
  } else if (!isIgnored(target)) throw unknownPath(target);
}

function setSimple(document: Document, name: string, op: Operation['op'], value: unknown): void {
  if (op !== 'remove') document[name] = simpleValue(value);
  else if (name === 'userName' || name === 'active')
    throw new ScimError(400, 'mutability', `${name} cannot be removed.`);
  else delete document[name];
}

function patchedName(
  before: unknown,
  op: Operation['op'],
  sub: string | undefined,
  value: unknown,
  target: AttributePath,
): Document | undefined {
  const name = isDocument(before) ? before : {};
  if (sub === undefined) {
    if (op === 'remove' || (op === 'replace' && value === undefined)) return undefined;
    if (!isDocument(value)) throw invalidValue('name must be an object.');
    const parts = nameParts.flatMap((part) => {
      const given = attributeOf(value, part);
      return given === undefined ? [] : [[part, given] as const];
    });
    return { ...name, ...Object.fromEntries(parts) };
  }
  const part = nameParts.find((each) => each.toLowerCase() === sub.toLowerCase());
  if (part === undefined) throw unknownPath(target);
  return { ...name, [part]: op === 'remove' ? undefined : value };
}

/** An email address that an operation makes the primary one takes the mark from the others (RFC 7644, section 3.5.2). */
function withNewPrimary(before: readonly unknown[], after: unknown[]): unknown[] {
  const isPrimary = (email: unknown) => isDocument(email) && booleanValue(email['primary']) === true;
  const marked = after.findLastIndex((email) => isPrimary(email) && !before.includes(email));
  if (marked === -1) return after;
  return after.map((email, index) =>
    index !== marked && isDocument(email) && isPrimary(email) ? { ...email, primary: false } : email,
  );
}

function patchedEmails(emails: unknown[], op: Operation['op'], target: AttributePath, value: unknown): unknown[] {
  const { sub } = target;
  const filter = target.filter && checkValueFilter(target.filter, emailAttributes);
  const part = sub === undefined ? undefined : emailParts.find((each) => each.toLowerCase() === sub.toLowerCase());
  // Such as emails[type eq "work"].display, which is not stored.
  if (sub !== undefined && part === undefined) {
    if (sub.toLowerCase() === 'display') return emails;
    throw unknownPath(target);
  }
  const given = (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(emailFrom);
  if (filter === undefined && part === undefined) {
    if (op === 'remove' && isOfAllValues('emails', value)) return [];
    return withoutFilter(emails, op, given);
  }
  if (op !== 'remove' && part === undefined && given.length !== 1)
    throw invalidValue('The value for the emails that a filter selects must be one email address.');
  const isMeant = (email: unknown) => filter === undefined || (isDocument(email) && matches(filter, email));
  if (!emails.some(isMeant)) {
    if (op === 'remove') return emails;
    return [...emails, newEmail(filter, part, value)];
  }
  return emails.flatMap((email) => {
    if (!isMeant(email) || !isDocument(email)) return [email];
    if (part !== undefined)
      return op === 'remove' && part === 'value'
        ? []
        : [{ ...email, [part]: op === 'remove' ? undefined : simpleValue(value) }];
    if (op === 'remove') return [];
    const [only] = given;
    return [isDocument(only) ? { ...email, ...only } : only];
  });
}

/**
 * Whether a removal without a filter removes all values of an attribute (RFC 7644, section 3.5.2.2), and not those in its
 * value, which Entra ID sends. Null could mean either.
 */
function isOfAllValues(name: string, value: unknown): boolean {
  if (value === null)
    throw invalidValue(`The value of a removal of ${name} must be a list. Leave it out to remove all ${name}.`);
  return value === undefined;
}

function withoutFilter(emails: unknown[], op: Operation['op'], given: unknown[]): unknown[] {
  if (op === 'replace') return given;
  const isSame = (one: unknown, other: unknown) =>
    isDocument(one) && isDocument(other) && one['value'] === other['value'] && one['type'] === other['type'];
  if (op === 'remove') return emails.filter((email) => !given.some((each) => isSame(email, each)));
  // A value that exists stays in its position (RFC 7644, section 3.5.2.1), and gets the attributes that are sent with it.
  const merged = emails.map((email) => {
    const same = given.findLast((each) => isSame(email, each));
    return isDocument(email) && isDocument(same) ? { ...email, ...same } : email;
  });
  return [...merged, ...given.filter((each) => !emails.some((email) => isSame(email, each)))];
}

/**
 * The value that a filter describes if none matches it, as Entra ID expects: `emails[type eq "work"].value`.
 *
 * @throws {ScimError} 400 `noTarget` for a filter that does not describe one, or would not select it.
 */
function newEmail(filter: CheckedFilter | undefined, part: string | undefined, value: unknown): Document {
  const noTarget = () => new ScimError(400, 'noTarget', 'No value of emails matches the filter of the path.');
  const terms = filter === undefined ? [] : filter.type === 'and' ? filter.filters : [filter];
  const described = terms.map((term): [string, unknown] => {
    if (!('operator' in term) || term.operator !== 'eq') throw noTarget();
    return [term.name.toLowerCase(), term.value];
  });
  const given = emailFrom(value);
  if (part === undefined && !isDocument(given)) throw invalidValue('emails must be objects.');
  const email: Document = {
    ...Object.fromEntries(described),
    ...(part === undefined && isDocument(given) ? given : { [part ?? 'value']: simpleValue(value) }),
  };
  if (filter !== undefined && !matches(filter, email)) throw noTarget();
  return email;
}

/** The change of a group by operations. @throws {ScimError} 400; 400 `invalid_input` */
export function patchedGroup(before: GroupAttributes, operations: readonly Operation[]): GroupChange {
  const document: Document = { ...before };
  const members = new MemberChange();
  for (const { op, target, value } of operations) {
    requireWritable(target);
    const lower = target.path.toLowerCase();
    if (lower === 'members' || lower === 'members.value') members.apply(op, target, value);
    else if (target.filter !== undefined) throw unknownPath(target);
    else if (lower === 'displayname') {
      if (op === 'remove') throw new ScimError(400, 'mutability', 'displayName cannot be removed.');
      document['displayName'] = simpleValue(value);
    } else if (lower === 'externalid') {
      if (op === 'remove') delete document['externalId'];
      else document['externalId'] = simpleValue(value);
    } else if (!lower.startsWith('urn:')) throw unknownPath(target);
  }
  return { attributes: groupFromDocument(document), members: members.isEmpty ? undefined : members };
}

/** The sum of several changes of members. */
class MemberChange {
  replaces = false;
  readonly added = new Set<string>();
  readonly removed = new Set<string>();

  get isEmpty(): boolean {
    return !this.replaces && this.added.size === 0 && this.removed.size === 0;
  }

  apply(op: Operation['op'], { filter, sub }: AttributePath, value: unknown): void {
    if (sub !== undefined) throw new ScimError(400, 'mutability', 'The attributes of members cannot be changed.');
    if (filter !== undefined) {
      if (op !== 'remove') throw new ScimError(400, 'mutability', 'The attributes of members cannot be changed.');
      this.#remove(idsIn(filter));
    } else if (op === 'remove') {
      if (isOfAllValues('members', value)) this.#replace([]);
      else this.#remove(memberIds(value));
    } else if (op === 'replace') this.#replace(memberIds(value ?? []));
    else this.#add(memberIds(value ?? []));
  }

  #add(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.add(id);
      this.removed.delete(id);
    }
  }

  #remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.delete(id);
      this.removed.add(id);
    }
  }

  #replace(ids: readonly string[]): void {
    this.replaces = true;
    this.added.clear();
    this.removed.clear();
    this.#add(ids);
  }
}

/** The ids in `value eq "…"`, or several of these with `or`. @throws {ScimError} 400 `invalidFilter` */
function idsIn(filter: Filter): string[] {
  if (filter.type === 'or') return filter.filters.flatMap(idsIn);
  const isId = filter.type === 'compare' && filter.operator === 'eq' && filter.path.toLowerCase() === 'value';
  if (isId && typeof filter.value === 'string') return [filter.value];
  throw new ScimError(400, 'invalidFilter', 'members can be selected by value eq only: members[value eq "…"].');
}
