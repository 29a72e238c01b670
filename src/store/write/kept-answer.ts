// The answer of a change as text, to be given again later: with the resources in it as they were then.
import type { RequestContext } from '../../auth/context.js';
import { forbidden } from '../../errors.js';
import { PartialResource, Resource } from '../read/resource.js';
import { kindOfTable } from '../read/resource-kind.js';

/** @throws for what cannot be kept, which is a mistake of ours. */
export function textFromAnswer(answer: unknown): string {
  return JSON.stringify(keptFrom(answer));
}

/** An answer as it was. @throws 403 `forbidden` where a workspace in it is out of reach by now. */
export function answerFromText(ctx: RequestContext, text: string): unknown {
  const kept: Kept = JSON.parse(text);
  return valueFrom(ctx, kept);
}

type Kept =
  | null
  | string
  | number
  | boolean
  | { is: 'list'; items: Kept[] }
  | { is: 'object'; fields: [string, Kept][] }
  | { is: 'time'; time: string }
  | { is: 'integer'; digits: string }
  | KeptResource;

interface KeptResource {
  is: 'resource';
  table: string;
  workspace: string;
  isWhole: boolean;
  row: string;
}

function keptFrom(value: unknown): Kept {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return { is: 'integer', digits: String(value) };
  if (Array.isArray(value)) return { is: 'list', items: value.map((item: unknown) => keptFrom(item ?? null)) };
  if (value instanceof Date) return { is: 'time', time: value.toISOString() };
  if (value instanceof PartialResource) {
    const { kind, workspace, part } = value;
    const row = JSON.stringify(part);
    return { is: 'resource', table: kind.table, workspace: workspace.name, isWhole: value instanceof Resource, row };
  }
  if (!isPlain(value)) throw new Error(`An answer that is to be kept holds a ${typeof value} that cannot be.`);
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  return { is: 'object', fields: given.map(([name, each]) => [name, keptFrom(each)]) };
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function valueFrom(ctx: RequestContext, value: Kept): unknown {
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
    case 'resource':
      return resourceFrom(ctx, value);
  }
}

function resourceFrom(ctx: RequestContext, value: KeptResource): PartialResource<object> {
  const workspace = ctx.caller.workspaces.get(value.workspace);
  if (workspace === undefined) throw forbidden('The workspace does not exist, or this credential cannot access it.');
  const kind = kindOfTable(value.table);
  return value.isWhole
    ? new Resource<object>(ctx, kind, workspace, JSON.parse(value.row))
    : new PartialResource<object>(ctx, kind, workspace, JSON.parse(value.row));
}
