// What a request brings along. It holds no database for those who are handed it: what reads or changes rows takes
// what authorising returned (authorize.ts).
import type { Database, Transactional } from '../database/open.js';
import type { ReadReplica } from '../database/read-replica.js';
import { Reads } from '../database/reads.js';
import type { Seal } from '../encryption.js';
import type { ApiKeyLife } from './api-key-expiry.js';
import type { Caller } from './caller.js';
import type { Door } from './door.js';
import type { ViewerPlace } from './viewer-place.js';

const database: unique symbol = Symbol('database');
const readReplica: unique symbol = Symbol('replica');
const reads: unique symbol = Symbol('reads');

/**
 * Services of the process that come with every request. A layer above this one declares its own service here by
 * declaration merging, so that this layer needs not know of it.
 */
export interface ProcessServices {
  now: () => Date;
  seal: Seal;
  /** The global inference address, without a slash at its end. */
  inferenceUrl: string;
  /** Name of the service, as its operator sets it. */
  serviceName: string;
  apiKeyLife: ApiKeyLife;
  /** Name of the account whose admins administer the platform, if one is set. */
  platformAccount: string | undefined;
}

/** Everything that an application function may depend on. One is created for each request. */
export interface RequestContext extends ProcessServices {
  caller: Caller;
  /** Finds out again who is calling, for what goes on for long. @throws 401, 403 when they no longer may. */
  renew: () => Promise<void>;
  /** The workspace that the request's header names, if it does (decision 3). */
  workspaceName: string | undefined;
  /** Where the request seems to come from; worked out when it is asked for. */
  viewerPlace: () => ViewerPlace;
  /** From where the request came, without a port. */
  clientAddress: string;
  requestId: string;
  /** Through which door it came, where it came through one. */
  door: Door | undefined;
  /** The key under which what it changes is done once, if it has one. */
  idempotencyKey: string | undefined;
  /** Makes room for others while this request only waits, for so long at most. */
  stayFor: (ms: number) => Staying;
  /** Until when it waits, on the clock of performance.now(); 0 while it does not. */
  stayUntilMs: number;
  /** Counts what is about to be done against the caller's rate limits. @throws 429 `too_many_requests` */
  spend: (what: 'usage_events', amount: number) => Promise<void>;
  /** Told what became of each usage event, for those who measure. */
  onUsage: (outcomes: readonly string[]) => void;
  /** Told what the caller tried and may not do, for the history of their account. */
  onRefusal: (refusal: { operation: string; message: string }) => void;
  /** Called when a secret becomes part of the response. @param secret `name` of the resource that holds it. */
  onSecretRead: (secret: { name: string; message: string }) => void;
  /** Runs what reads a list as a part of the trace of the request; absent where there are no traces. */
  traceList: (<Result>(name: string, act: () => Result) => Result) | undefined;
  /** What perRequest() has made. */
  made: Map<object, unknown>;
  /** For authorising alone. */
  readonly [database]: Transactional;
  readonly [readReplica]: ReadReplica | undefined;
  [reads]: Reads | undefined;
}

/** A request that waits for something. */
export interface Staying {
  /** Whether nobody is there any more to answer to. */
  isGone: () => boolean;
}

/** What a context is made of; the rest of it is its own. */
type Request = Omit<
  RequestContext,
  | 'made'
  | 'spend'
  | 'onUsage'
  | 'onRefusal'
  | 'onSecretRead'
  | 'traceList'
  | 'stayFor'
  | 'stayUntilMs'
  | 'renew'
  | typeof database
  | typeof readReplica
  | typeof reads
>;

/** @param identify finds out again who is calling. */
export function createContext(
  db: Database,
  request: Request,
  identify: () => Promise<Caller>,
  replica?: ReadReplica,
): RequestContext {
  const ctx: RequestContext = {
    // Transports that limit rates and measure replace these.
    spend: async () => {},
    onUsage: () => {},
    onRefusal: () => {},
    onSecretRead: () => {},
    stayFor: () => ({ isGone: () => false }),
    stayUntilMs: 0,
    traceList: undefined,
    made: new Map(),
    renew: async () => {
      ctx.caller = await identify();
    },
    [database]: db,
    [readReplica]: replica,
    [reads]: undefined,
    // Spread last: fields that are added behind a spread cost V8 some 100 µs for an object of this size.
    ...request,
  };
  return ctx;
}

/** The database behind a request. Authorising hands it on; nobody else asks for it (the architecture test). */
export function databaseOf(ctx: RequestContext): Transactional {
  return ctx[database];
}

/** What lists and metrics of a request are read of; for authorising alone, like the database. */
export function readsOf(ctx: RequestContext): Reads {
  return (ctx[reads] ??= new Reads(ctx[database]));
}

/** Lets lists and metrics be read of a replica: for a request that changes nothing, before it reads. */
export function readOfReplica(ctx: RequestContext): void {
  const replica = ctx[readReplica];
  if (replica !== undefined) ctx[reads] ??= new Reads(ctx[database], () => replica.readerFor(accountIds(ctx)));
}

/** Notes that a request has changed something, or told of a change: who is of its accounts reads that from now on. */
export function noteChange(ctx: RequestContext): void {
  ctx[readReplica]?.wrote(accountIds(ctx));
}

function accountIds({ caller }: RequestContext): string[] {
  return caller.accounts.map(({ id }) => id);
}

/** The same request inside a transaction: whatever is authorised by it is done there. It shares nothing that was read. */
export function contextWithin(ctx: RequestContext, transaction: Transactional): RequestContext {
  return { ...ctx, made: new Map(), [database]: transaction, [reads]: undefined };
}

/**
 * Makes something once for each request: a loader, mostly. It is kept by the context and goes with it. A
 * WeakMap would hold it, and all that it has read, until the next full collection of garbage.
 */
export function perRequest<T extends object>(make: (ctx: RequestContext) => T): (ctx: RequestContext) => T {
  const key = {};
  // Nothing else stores anything under this key.
  const isMade = (value: unknown): value is T => value !== undefined;
  return (ctx) => {
    const known = ctx.made.get(key);
    if (isMade(known)) return known;
    const fresh = make(ctx);
    ctx.made.set(key, fresh);
    return fresh;
  };
}
