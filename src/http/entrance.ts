// The first steps of every transport: authentication, rate limits and admission.
import type { Caller } from '../auth/caller.js';
import { resourceMetadataPath } from '../auth/grants/protected-resource.js';
import { ownerOf } from '../auth/authenticate.js';
import { clientAddress } from '../auth/client-address.js';
import { openContext } from './open-context.js';
import type { ServiceContext } from './open-context.js';
import type { RequestContext, TransportHooks } from '../auth/context.js';
import type { Api } from '../auth/api.js';
import { ApiError, refusalPointingTo } from '../errors.js';
import type { CredentialOwner } from '../errors.js';
import type { TransportServices } from './transport-services.js';
import type { Applicant } from '../database/fair-queue.js';
import { isGone } from './exchange.js';
import type { Exchange } from './exchange.js';

/**
 * Authenticates and admits a request.
 *
 * @throws 401 `unauthorized` without a valid credential; 429 `too_many_requests` over a rate limit; 503 `unavailable`
 * if this process is overloaded.
 */
export async function enter(services: TransportServices, exchange: Exchange, api: Api): Promise<ServiceContext> {
  const ctx = await identified(services, exchange, api);
  const { caller } = ctx;
  const applicant = applicantOf(caller);
  const [account] = caller.accounts;
  exchange.notes.account = account && { name: account.name, plan: account.plan };
  exchange.notes.credential = `${caller.credential.kind} ${caller.credential.label}`;
  await services.rateLimits.spend('requests', 1, applicant, exchange.response);
  await services.admission.admit(applicant, exchange.response);
  return ctx;
}

/** What this layer does for the context of a request. */
function hooksFor(services: TransportServices, exchange: Exchange, api: Api, caller: Caller): TransportHooks {
  const { admission, rateLimits, metrics, traces, databaseFor } = services;
  const { response, notes, requestId } = exchange;
  const applicant = applicantOf(caller);
  const owner = ownerOf(caller);
  // The address is not available after the connection was closed.
  const address = addressOf(services, exchange);
  const note = (verb: 'denied' | 'read', name: string, message: string) => {
    if (owner !== undefined) noteDeniedRequest(services, { address, requestId, api }, owner, name, message, verb);
  };
  return {
    connections: databaseFor({
      ...applicant,
      onWait: () => admission.pause(applicant, response),
      isGone: () => isGone(exchange) && !response.writableFinished,
    }),
    spend: (what, amount) => rateLimits.spend(what, amount, applicant, response),
    stay: () => {
      admission.release(response);
      notes.streamsFromMs ??= performance.now();
      return { isGone: () => isGone(exchange) };
    },
    onDeniedRequest: ({ operation, message }) => note('denied', operation, message),
    onSecretRead: ({ name, message }) => note('read', name, message),
    traceList: traces?.list,
    onUsage: metrics.usage.recorded,
  };
}

/** Reports a denied request, or a read of a secret, for the change log of the credential's account. */
function noteDeniedRequest(
  { deniedRequests }: TransportServices,
  from: { address: string; requestId: string; api: Api },
  { accountId, principalId: actorId, client }: CredentialOwner,
  name: string,
  message: string,
  verb: 'denied' | 'read',
): void {
  const of = { by: 'account', value: accountId } as const;
  deniedRequests.note({ verb, kind: 'ACCESS', of, name, actorId, client, message, ...from });
}

/** Authenticates the caller. The error for a missing credential says where to get one. */
async function identified(services: TransportServices, exchange: Exchange, api: Api): Promise<ServiceContext> {
  const { request, requestId } = exchange;
  try {
    const hooks = (caller: Caller) => hooksFor(services, exchange, api, caller);
    return await openContext(services, request.headers, requestId, request.socket.remoteAddress, api, hooks);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.owner !== undefined) {
      const from = { address: addressOf(services, exchange), requestId, api };
      noteDeniedRequest(services, from, error.owner, exchange.notes.operation || api, error.message, 'denied');
    }
    if (error.status !== 401) throw error;
    const path = resourceMetadataPath(api === 'graphql' || api === 'mcp' ? `/${api}` : '/v0');
    throw refusalPointingTo(`${services.publicUrl}${path}`, error);
  }
}

function addressOf({ clientAddressHeader }: TransportServices, { request }: Exchange): string {
  return clientAddress(request.headers, clientAddressHeader, request.socket.remoteAddress);
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
