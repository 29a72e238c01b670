// The first steps of every transport: authentication, rate limits and admission.
import type { Caller } from '../auth/caller.js';
import { resourceMetadataPath } from '../auth/grants/protected-resource.js';
import { ownerOf } from '../auth/authenticate.js';
import { clientAddress } from '../auth/client-address.js';
import { openContext } from '../auth/open-context.js';
import type { RequestContext } from '../auth/context.js';
import type { Api } from '../auth/api.js';
import { ApiError, refusalPointingTo } from '../errors.js';
import type { CredentialOwner } from '../errors.js';
import type { TransportServices } from './transport-services.js';
import type { Applicant } from './admission.js';
import { isGone } from './exchange.js';
import type { Exchange } from './exchange.js';

/**
 * Authenticates and admits a request.
 *
 * @throws 401 `unauthorized` without a valid credential; 429 `too_many_requests` over a rate limit; 503 `unavailable`
 * if this process is overloaded.
 */
export async function enter(services: TransportServices, exchange: Exchange, api: Api): Promise<RequestContext> {
  const ctx = await identified(services, exchange, api);
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
  ctx.onDeniedRequest = ({ operation, message }) => {
    const owner = ownerOf(caller);
    if (owner !== undefined) noteDeniedRequest(services, ctx, api, owner, operation, message);
  };
  ctx.onSecretRead = ({ name, message }) => {
    const owner = ownerOf(caller);
    if (owner !== undefined) noteDeniedRequest(services, ctx, api, owner, name, message, 'read');
  };
  ctx.traceList = services.traces?.list;
  ctx.onUsage = services.metrics.usage.recorded;
  await services.rateLimits.spend('requests', 1, applicant, exchange.response);
  await services.admission.admit(applicant, exchange.response);
  return ctx;
}

/** Reports a denied request, or a read of a secret, for the change log of the credential's account. */
function noteDeniedRequest(
  { deniedRequests }: TransportServices,
  { clientAddress: address, requestId }: Pick<RequestContext, 'clientAddress' | 'requestId'>,
  api: Api,
  { accountId, principalId: actorId, client }: CredentialOwner,
  name: string,
  message: string,
  verb: 'denied' | 'read' = 'denied',
): void {
  const of = { by: 'account', value: accountId } as const;
  deniedRequests.note({ verb, kind: 'ACCESS', of, name, actorId, client, message, address, requestId, api });
}

/** Authenticates the caller. The error for a missing credential says where to get one. */
async function identified(services: TransportServices, exchange: Exchange, api: Api): Promise<RequestContext> {
  const { request, requestId } = exchange;
  try {
    return await openContext(services, request.headers, requestId, request.socket.remoteAddress, api);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.owner !== undefined) {
      const address = clientAddress(request.headers, services.clientAddressHeader, request.socket.remoteAddress);
      const operation = exchange.notes.operation || api;
      noteDeniedRequest(services, { clientAddress: address, requestId }, api, error.owner, operation, error.message);
    }
    if (error.status !== 401) throw error;
    const path = resourceMetadataPath(api === 'graphql' || api === 'mcp' ? `/${api}` : '/v0');
    throw refusalPointingTo(`${services.publicUrl}${path}`, error);
  }
}

/**
 * Turns a request into a stream: it releases its slot and counts among its account's streams.
 *
 * @throws 429 `too_many_requests` if the account has reached its limit of streams.
 */
export function enterStream(services: TransportServices, { response, notes }: Exchange, ctx: RequestContext): void {
  services.streamLimits.take(applicantOf(ctx.caller), response);
  services.admission.release(response);
  notes.streamsFromMs = performance.now();
}

/**
 * Runs a part of a stream's work in a slot.
 *
 * @throws 503 `unavailable` if this process is overloaded.
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

/** Counts the cost of an operation before it runs. @throws 429 `too_many_requests` */
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
