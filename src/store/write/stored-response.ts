// Serializes the result of a mutation, so that a repeated idempotent request gets the same response. Resources in it
// keep the state that they had.
import type { Caller } from '../../auth/caller.js';
import type { RequestContext } from '../../auth/context.js';
import { administers, managingTenants } from '../../auth/managed-rows.js';
import { forbidden } from '../../errors.js';
import type { ApiError } from '../../errors.js';
import type { Reported } from '../../lifecycle/reported.js';
import { PartialResource, Resource } from '../read/resource.js';
import { kindOfTable } from '../read/resource-kind.js';

/**
 * Serializes a result.
 *
 * @param admin if only admins get the result: the caller who gets it, and the workspace of its row (`managingTenants`).
 * @throws for a value of a type that cannot be serialized (a programming error).
 */
export function textFromResponse(
  response: unknown,
  admin?: { caller: Caller; workspaceId: string | null | undefined },
): string {
  const value = storedFrom(response);
  const stored: StoredValue =
    admin === undefined ? value : { is: 'secret', tenants: managingTenants(admin.caller, admin.workspaceId), value };
  return JSON.stringify(stored);
}

/**
 * Restores a serialized result.
 *
 * @throws 403 `forbidden` if the caller can no longer access a workspace in it, and if only admins get it and the caller has
 * lost that role.
 */
export function responseFromText(ctx: RequestContext, text: string): unknown {
  const stored: StoredValue = JSON.parse(text);
  return valueFrom(ctx, stored);
}

type StoredValue =
  | null
  | string
  | number
  | boolean
  | { is: 'list'; items: StoredValue[] }
  | { is: 'object'; fields: [string, StoredValue][] }
  | { is: 'time'; time: string }
  | { is: 'integer'; digits: string }
  /** A secret, or another value that only admins of the tenants get. */
  | { is: 'secret'; tenants: string[]; value: StoredValue }
  | StoredResource;

interface StoredResource {
  is: 'resource';
  table: string;
  workspace: string;
  isWhole: boolean;
  row: string;
  /** The reports of executors that the resource had, if its deletion ended them. */
  reported?: Reported | undefined;
}

function storedFrom(value: unknown): StoredValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return { is: 'integer', digits: String(value) };
  if (Array.isArray(value)) return { is: 'list', items: value.map((item: unknown) => storedFrom(item ?? null)) };
  if (value instanceof Date) return { is: 'time', time: value.toISOString() };
  if (value instanceof PartialResource) {
    const { kind, workspace, part, reported } = value;
    const row = JSON.stringify(part);
    const isWhole = value instanceof Resource;
    return { is: 'resource', table: kind.table, workspace: workspace.name, isWhole, row, reported };
  }
  if (!isPlain(value)) throw new Error(`A stored response contains a ${typeof value}, which JSON cannot represent.`);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return { is: 'object', fields: entries.map(([name, each]) => [name, storedFrom(each)]) };
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function valueFrom(ctx: RequestContext, value: StoredValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  switch (value.is) {
    case 'list':
      return value.items.map((item) => valueFrom(ctx, item));
    case 'object':
      return Object.fromEntries(value.fields.map(([name, each]) => [name, valueFrom(ctx, each)]));
    case 'time':
      return new Date(value.time);
    case 'integer':
      return BigInt(value.digits);
    case 'secret':
      if (!administers(ctx.caller, value.tenants)) throw roleLost();
      return valueFrom(ctx, value.value);
    case 'resource':
      return resourceFrom(ctx, value);
  }
}

function roleLost(): ApiError {
  return forbidden('You have lost your role as admin of the account or workspace that the stored response is about.');
}

function resourceFrom(ctx: RequestContext, value: StoredResource): PartialResource<object> {
  const workspace = ctx.caller.workspaces.get(value.workspace);
  if (workspace === undefined) throw forbidden('The workspace does not exist, or this credential cannot access it.');
  const kind = kindOfTable(value.table);
  const resource = value.isWhole
    ? new Resource<object>(ctx, kind, workspace, JSON.parse(value.row))
    : new PartialResource<object>(ctx, kind, workspace, JSON.parse(value.row));
  if (value.reported !== undefined) resource.reported = value.reported;
  return resource;
}
