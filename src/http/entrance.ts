// What every door asks before it works: who is calling, and whether there is room for what they want.
import type { Caller } from '../auth/caller.js';
import { resourceMetadataPath } from '../auth/grants/protected-resource.js';
import { ownerOf } from '../auth/authenticate.js';
import { clientAddress } from '../auth/client-address.js';
import { openContext } from '../auth/open-context.js';
import type { RequestContext } from '../auth/context.js';
import type { Door } from '../auth/door.js';
import { ApiError, refusalPointingTo } from '../errors.js';
import type { CredentialOwner } from '../errors.js';
import type { TransportServices } from './transport-services.js';
import type { Applicant } from './admission.js';
import { isGone } from './exchange.js';
import type { Exchange } from './exchange.js';

/**
 * Lets a request in.
 *
 * @throws 401 `unauthorized` without a valid credential; 429 `too_many_requests` over a rate limit; 503 `unavailable` when this process has too much to do.
 */
export async function enter(services: TransportServices, exchange: Exchange, door: Door): Promise<RequestContext> {
  const ctx = await identified(services, exchange, door);
  const { caller } = ctx;
  const applicant = applicantOf(caller);
  const [account] = caller.accounts;
  exchange.notes.account = account && { name: account.name, plan: account.plan };
  exchange.notes.credential = `${caller.credential.kind} ${caller.credential.label}`;
  ctx.spend = (what, amount) => services.rateLimits.spend(what, amount, applicant, exchange.response);
  ctx.stayFor = (ms) => {
    ctx.stayUntilMs = performance.now() + ms;
    services.admission.release(exchange.response);
    exchange.notes.streamsFromMs ??= performance.now();
    return { isGone: () => isGone(exchange) };
  };
  ctx.onRefusal = ({ operation, message }) => {
    const owner = ownerOf(caller);
    if (owner !== undefined) noteRefusal(services, ctx, door, owner, operation, message);
  };
  ctx.onSecretRead = ({ name, message }) => {
    const owner = ownerOf(caller);
    if (owner !== undefined) noteRefusal(services, ctx, door, owner, name, message, 'read');
  };
  ctx.traceList = services.traces?.list;
  ctx.onUsage = services.measurements.usage.recorded;
  await services.rateLimits.spend('requests', 1, applicant, exchange.response);
  await services.admission.admit(applicant, exchange.response);
  return ctx;
}

/** For the history of the account whose credential was refused something, or read a secret. */
function noteRefusal(
  { refusals }: TransportServices,
  { clientAddress: address, requestId }: Pick<RequestContext, 'clientAddress' | 'requestId'>,
  door: Door,
  { accountId, principalId: actorId, client }: CredentialOwner,
  name: string,
  message: string,
  verb: 'refused' | 'read' = 'refused',
): void {
  const of = { by: 'account', value: accountId } as const;
  refusals.note({ verb, kind: 'ACCESS', of, name, actorId, client, message, address, requestId, door });
}

/** Finds out who is calling; who has no credential is told where one comes from. */
async function identified(services: TransportServices, exchange: Exchange, door: Door): Promise<RequestContext> {
  const { request, requestId } = exchange;
  try {
    return await openContext(services, request.headers, requestId, request.socket.remoteAddress, door);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.owner !== undefined) {
      const address = clientAddress(request.headers, services.clientAddressHeader, request.socket.remoteAddress);
      const operation = exchange.notes.operation || door;
      noteRefusal(services, { clientAddress: address, requestId }, door, error.owner, operation, error.message);
    }
    if (error.status !== 401) throw error;
    const path = resourceMetadataPath(door === 'graphql' ? '/graphql' : '/v0');
    throw refusalPointingTo(`${services.publicUrl}${path}`, error);
  }
}

/**
 * Makes room for others while an answer goes on for long: it takes a place among those of its account instead.
 *
 * @throws 429 `too_many_requests` when the account has as many as it may.
 */
export function enterStream(services: TransportServices, { response, notes }: Exchange, ctx: RequestContext): void {
  services.streamPlaces.take(applicantOf(ctx.caller), response);
  services.admission.release(response);
  notes.streamsFromMs = performance.now();
}

/**
 * Works on a part of a request that goes on for long, when it is its turn.
 *
 * @throws 503 `unavailable` when this process has too much to do.
 */
export async function takeTurn<Result>(
  { admission }: TransportServices,
  { response }: Exchange,
  ctx: RequestContext,
  act: () => Promise<Result>,
): Promise<Result> {
  await admission.admit(applicantOf(ctx.caller), response);
  return act().finally(() => admission.release(response));
}

/** Counts what an operation costs, before it runs. @throws 429 `too_many_requests` */
export function spendCost(
  services: TransportServices,
  exchange: Exchange,
  ctx: RequestContext,
  cost: number,
): Promise<void> {
  return services.rateLimits.spend('cost', cost, applicantOf(ctx.caller), exchange.response);
}

/** A credential of several accounts counts for the first of them. */
function applicantOf({ accounts, principal, credential }: Caller): Applicant {
  return { account: accounts[0]?.id ?? principal.id, credential: credential.id };
}
