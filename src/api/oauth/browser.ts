// What a browser holds of a visitor: one cookie, which is a session once somebody signed in, and in each page's
// forms a token that was made for that cookie and that page alone (cross-site request forgery).
import { createOpaqueToken, hashOpaqueToken } from '../../auth/grants/opaque-token.js';
import { z } from 'zod';
import { cookieOf, setCookie } from './cookies.js';
import type { Cookie } from './cookies.js';
import type { OauthExchange } from './exchange.js';

const purpose = 'oauth form';
const formHoursMax = 4;

/** The cookie that the browser sent; undefined without one of ours. */
export function visitorCookie({ services, request }: OauthExchange): string | undefined {
  const value = cookieOf(request, sessionCookie(services.publicUrl));
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/** The cookie of a visitor who has none yet is made now. */
export function ensureVisitorCookie(exchange: OauthExchange): string {
  const known = visitorCookie(exchange);
  if (known !== undefined) return known;
  const { token } = createOpaqueToken('');
  setVisitorCookie(exchange, token);
  return token;
}

/** Gone when the browser is closed. No script sees it, and no other site's form carries it. */
export function setVisitorCookie({ services, response }: OauthExchange, value: string | undefined): void {
  const cookie = sessionCookie(services.publicUrl);
  setCookie(response, cookie, value ?? '', ['SameSite=Lax', ...(value === undefined ? ['Max-Age=0'] : [])]);
}

function sessionCookie(publicUrl: string): Cookie {
  return { name: 'session', publicUrl };
}

const formClaims = z.object({ form: z.string(), cookie: z.string(), query: z.string(), madeAtMs: z.number() });

/**
 * What a form carries so that it can be told from one that another site made.
 *
 * @param form the address that it is sent to.
 */
export function formToken({ services }: OauthExchange, form: string, cookie: string, query: string): string {
  const claims = { form, cookie: digest(cookie), query: digest(query), madeAtMs: services.now().getTime() };
  return services.encryption.encrypt(purpose, JSON.stringify(claims));
}

/** Whether a form was made here, for this browser and this authorization request, and not too long ago. */
export function isFormOf(exchange: OauthExchange, form: string, token: string | null, query: string): boolean {
  const { services, request } = exchange;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const cookie = visitorCookie(exchange);
  const opened = services.encryption.decrypt(purpose, token ?? '');
  if (cookie === undefined || opened === undefined) return false;
  const claims = formClaims.parse(JSON.parse(opened));
  const isFresh = services.now().getTime() - claims.madeAtMs < formHoursMax * 60 * 60_000;
  return isFresh && claims.form === form && claims.cookie === digest(cookie) && claims.query === digest(query);
}

/** What a cookie is recognised by where it must not be read. */
export function cookieDigest(cookie: string): string {
  return digest(cookie);
}

function digest(text: string): string {
  return Buffer.from(hashOpaqueToken(text)).toString('base64');
}
