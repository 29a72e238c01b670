// The context of a request. It does not expose the database: functions that read or write rows take an authorization
// (authorize.ts).
import type { EgressRules } from '../config/egress-rules.js';
import type { Transactional } from '../database/open.js';
import type { Statements } from '../database/transaction.js';
import type { ReadReplica } from '../database/read-replica.js';
import { Reads } from '../database/reads.js';
import type { Encryption } from '../encryption.js';
import type { ApiKeyLife } from './api-key-expiry.js';
import type { Caller } from './caller.js';
import type { Api } from './api.js';
import type { ProviderInfo } from './sign-in/provider.js';
import type { ViewerLocation } from './viewer-location.js';

const database: unique symbol = Symbol('database');
const readReplica: unique symbol = Symbol('replica');
const reads: unique symbol = Symbol('reads');
const later: unique symbol = Symbol('later');
const committed: unique symbol = Symbol('committed');

/** Services of the process that do not depend on a domain. */
export interface ProcessServices {
  now: () => Date;
  encryption: Encryption;
  /** The global inference URL, without a trailing slash. */
  inferenceUrl: string;
  /** The template of links to logs, if set. */
  logsTemplate: string | undefined;
  /** The name of the service, set by the operator. */
  serviceName: string;
  apiKeyLife: ApiKeyLife;
  /** Which endpoints webhooks may reach. */
  egressRules: EgressRules;
  /** The name of the account whose admins administer the platform, if set. */
  platformAccount: string | undefined;
  /** The identity providers that users can sign in with. */
  signInProviders: readonly ProviderInfo[];
  /**
   * The accounts whose users are provisioned (SCIM), by name, each with the email domains of these users; undefined if
   * provisioning is off.
   */
  provisionedDomains: ReadonlyMap<string, readonly string[]> | undefined;
}

/** What every application function may depend on. Created for each request. Domains extend it with their services. */
export interface RequestContext extends ProcessServices {
  caller: Caller;
  /**
   * Authenticates the caller again, for long requests. What was authorized before keeps its old rights.
   *
   * @param isFresh whether the caller must have the access of this moment, not of the last half second.
   * @throws 401, 403 when the caller has lost access.
   */
  renew(isFresh?: boolean): Promise<void>;
  /** The workspace named by the request's header, if any (decision 3). */
  workspaceName: string | undefined;
  /** The approximate location of the client, computed on demand. */
  viewerLocation: () => ViewerLocation;
  /** The network address of the client, without a port. */
  clientAddress: string;
  requestId: string;
  /** The transport of the request, if any. */
  api: Api | undefined;
  /** The idempotency key, if any. */
  idempotencyKey: string | undefined;
  /** The id of the last event of a stream that its client got before it reconnected, if any. */
  lastEventId?: string | undefined;
  /** Frees the request's slot while it only waits, for the given time at most. */
  stayFor: (ms: number) => Staying;
  /** The end of the wait, by performance.now(); 0 while not waiting. */
  stayUntilMs: number;
  /** Counts against the caller's rate limits before the work is done. @throws 429 `too_many_requests` */
  spend: (limit: 'usage_events', amount: number) => Promise<void>;
  /** Called with the outcome of each usage event, for telemetry. */
  onUsage: (outcomes: readonly string[]) => void;
  /** Called when an operation is denied, for the change log of the account. */
  onDeniedRequest: (request: { operation: string; message: string }) => void;
  /** Called when a secret becomes part of the response. @param secret `name` of the resource that holds it. */
  onSecretRead: (secret: { name: string; message: string }) => void;
  /** Runs a list read within a span of the request's trace; undefined without tracing. */
  traceList: (<Result>(name: string, act: () => Result) => Result) | undefined;
  /** The values of perRequest(). */
  made: Map<object, unknown>;
  /** Only for authorize.ts. */
  readonly [database]: Transactional;
  readonly [readReplica]: ReadReplica | undefined;
  [reads]: Reads | undefined;
  /** The actions after the transaction of this request; undefined without one. */
  readonly [later]: AfterTransaction[] | undefined;
  /** The actions after the commit of the transaction of this request; undefined without one. */
  readonly [committed]: (() => void)[] | undefined;
}

/** Runs statements outside the transaction of a request. */
type AfterTransaction = (db: Statements) => Promise<void>;

/** The wait of a request. */
export interface Staying {
  /** Whether the client has disconnected. */
  isGone: () => boolean;
}

/** What the transport of a request provides to its context. */
export interface TransportHooks extends Pick<
  RequestContext,
  'spend' | 'onUsage' | 'onDeniedRequest' | 'onSecretRead' | 'traceList'
> {
  /** The database and the replica, of which the caller gets a fair share. */
  connections: { db: Transactional; replica: ReadReplica | undefined };
  /** Frees the request's slot while it only waits. */
  stay: () => Staying;
}

/** The hooks of a request that came by no transport, such as one of the command line. */
const noHooks: Omit<TransportHooks, 'connections'> = {
  spend: async () => {},
  onUsage: () => {},
  onDeniedRequest: () => {},
  onSecretRead: () => {},
  traceList: undefined,
  stay: () => ({ isGone: () => false }),
};

/** The constructor arguments; the context creates its other fields itself. */
type Request = Omit<
  RequestContext,
  | 'made'
  | 'spend'
  | 'onUsage'
  | 'onDeniedRequest'
  | 'onSecretRead'
  | 'traceList'
  | 'stayFor'
  | 'stayUntilMs'
  | 'renew'
  | typeof database
  | typeof readReplica
  | typeof reads
  | typeof later
  | typeof committed
>;

/**
 * @param request the caller, the request and the services of the process, all of which the context has.
 * @param identify authenticates the caller again.
 */
export function createContext<Given extends Request>(
  { db, replica }: TransportHooks['connections'],
  request: Given,
  identify: (isFresh?: boolean) => Promise<Caller>,
  { spend, onUsage, onDeniedRequest, onSecretRead, traceList, stay }: Omit<TransportHooks, 'connections'> = noHooks,
): RequestContext & Given {
  const ctx: RequestContext & Given = {
    spend,
    onUsage,
    onDeniedRequest,
    onSecretRead,
    traceList,
    stayFor: (ms) => {
      ctx.stayUntilMs = performance.now() + ms;
      return stay();
    },
    stayUntilMs: 0,
    made: new Map(),
    // Copies of the context renew their own caller.
    async renew(isFresh) {
      this.caller = await identify(isFresh);
    },
    [database]: db,
    [readReplica]: replica,
    [reads]: undefined,
    [later]: undefined,
    [committed]: undefined,
    // Spread last: fields that are added behind a spread cost V8 some 100 µs for an object of this size.
    ...request,
  };
  return ctx;
}

/** Returns the database of a request. Only authorize.ts may call this (checked by the architecture test). */
export function databaseOf(ctx: RequestContext): Transactional {
  return ctx[database];
}

/** Returns the source of list and metrics reads. Only for authorization, like databaseOf(). */
export function readsOf(ctx: RequestContext): Reads {
  return (ctx[reads] ??= new Reads(ctx[database]));
}

/** Allows a read-only request to read lists and metrics from a replica. Call it before the first read. */
export function readOfReplica(ctx: RequestContext): void {
  const replica = ctx[readReplica];
  if (replica !== undefined) ctx[reads] ??= new Reads(ctx[database], () => replica.readerFor(accountIds(ctx)));
}

/**
 * Notes that the request changed data, announced a change or gave a cursor of the change log. From now on, callers of its
 * accounts read that change.
 */
export function noteChange(ctx: RequestContext): void {
  ctx[readReplica]?.wrote(accountIds(ctx));
}

function accountIds({ caller }: RequestContext): string[] {
  return caller.accounts.map(({ id }) => id);
}

/** Returns the same request in a transaction: functions authorized with it run there. It shares no data read before. */
export function contextWithin<Ctx extends RequestContext>(ctx: Ctx, transaction: Transactional): Ctx {
  return { ...ctx, made: new Map(), [database]: transaction, [reads]: undefined, [later]: [], [committed]: [] };
}

/** Runs statements that a rollback must not undo: now, or after the transaction of the request. */
export async function afterTransaction(ctx: RequestContext, db: Statements, act: AfterTransaction): Promise<void> {
  if (ctx[later] === undefined) await act(db);
  else ctx[later].push(act);
}

/** Runs an action that a rollback must prevent: now, or after the commit of the transaction of the request. */
export function afterCommit(ctx: RequestContext, act: () => void): void {
  if (ctx[committed] === undefined) act();
  else ctx[committed].push(act);
}

/** Runs what had to wait for the commit of the transaction of a request. */
export function runAfterCommit(within: RequestContext): void {
  for (const act of within[committed]?.splice(0) ?? []) act();
}

/** Runs what had to wait for the transaction of a request. @param db the database outside the transaction */
export async function runAfterTransaction(within: RequestContext, db: Statements): Promise<void> {
  for (const act of within[later]?.splice(0) ?? []) await act(db);
}

/**
 * Returns the same request for its next operation. It shares no data that was read before.
 *
 * @param idempotencyKey the key of this operation, if any.
 */
export function contextOfOperation(ctx: RequestContext, idempotencyKey: string | undefined): RequestContext {
  return { ...ctx, made: new Map(), [reads]: undefined, idempotencyKey };
}

/**
 * Forgets the values of perRequest(). Each mutation of a document calls it first: what the mutations before it have read can
 * be different after it.
 */
export function forgetReads(ctx: RequestContext): void {
  ctx.made.clear();
}

/**
 * Creates a value once per request, usually a loader. The context holds it, so it is freed with the context. A WeakMap
 * would keep it and its data until the next full garbage collection.
 */
export function perRequest<T extends object, Ctx extends RequestContext = RequestContext>(
  make: (ctx: Ctx) => T,
): (ctx: Ctx) => T {
  const key = {};
  // No other code stores a value under this key.
  const isMade = (value: unknown): value is T => value !== undefined;
  return (ctx) => {
    const known = ctx.made.get(key);
    if (isMade(known)) return known;
    const fresh = make(ctx);
    ctx.made.set(key, fresh);
    return fresh;
  };
}
