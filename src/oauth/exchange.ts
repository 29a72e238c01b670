import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OauthSubject } from '../access/oauth/oauth-error.js';
import type { TokenIssuer } from '../access/oauth/tokens.js';
import type { Services } from '../context.js';

/** Where a request comes from. */
export interface Visitor {
  address: string;
  requestId: string;
}

/** One request of this door, with what answering it needs. */
export interface OauthExchange {
  services: Services;
  request: IncomingMessage;
  response: ServerResponse;
  visitor: Visitor;
}

/** What is logged: each word is one thing that happened, for whoever searches the log. */
export type OauthEvent =
  | 'signed_in'
  | 'sign_in_refused'
  | 'signed_out'
  | 'code_issued'
  | 'authorization_refused'
  | 'token_issued'
  | 'token_refreshed'
  | 'token_refused'
  | 'token_revoked'
  | 'token_introspected';

type OauthRecord = OauthSubject & { scope?: string; grant?: string; token?: string; error?: string; what?: string };

/** Logs what happened, to whom and from where. What is passed must never hold a secret: ids and names alone. */
export function record({ services, visitor }: OauthExchange, event: OauthEvent, about: OauthRecord): void {
  const level = event.endsWith('_refused') ? 'warn' : 'info';
  // Some of it is what anybody sent.
  const short = Object.fromEntries(Object.entries(about).map(([key, value]) => [key, value.slice(0, 254)]));
  services.log[level]({ oauth: event, ...short, ...visitor }, `oauth: ${event.replaceAll('_', ' ')}`);
}

export function visitorOf(services: Services, request: IncomingMessage, requestId: string): Visitor {
  const named = services.clientAddressHeader === undefined ? undefined : request.headers[services.clientAddressHeader];
  // The last address is the one that the nearest proxy added; those before it are whatever the client sent.
  const last = String(named ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return { address: last || (request.socket.remoteAddress ?? 'unknown'), requestId };
}

export function tokenIssuer({ services }: OauthExchange): TokenIssuer {
  const { db, seal, tokens, now } = services;
  return { db, seal, tokens, now };
}
