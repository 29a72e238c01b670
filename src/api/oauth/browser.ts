// The state of a browser: one cookie, which becomes a session after sign-in, and in each form a token that is bound to
// the cookie and the page (against cross-site request forgery).
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

/** Returns the cookie of the visitor, and creates one if there is none. */
export function ensureVisitorCookie(exchange: OauthExchange): string {
  const known = visitorCookie(exchange);
  if (known !== undefined) return known;
  const { token } = createOpaqueToken('');
  setVisitorCookie(exchange, token);
  return token;
}

/** A session cookie that scripts cannot read and forms of other sites do not send. */
export function setVisitorCookie({ services, response }: OauthExchange, value: string | undefined): void {
  const cookie = sessionCookie(services.publicUrl);
  setCookie(response, cookie, value ?? '', ['SameSite=Lax', ...(value === undefined ? ['Max-Age=0'] : [])]);
}

function sessionCookie(publicUrl: string): Cookie {
  return { name: 'session', publicUrl };
}

const formClaims = z.object({ form: z.string(), cookie: z.string(), query: z.string(), madeAtMs: z.number() });

/**
 * A token that proves that a form is from this site.
 *
 * @param form the path that it is sent to.
 */
export function formToken({ services }: OauthExchange, form: string, cookie: string, query: string): string {
  const claims = { form, cookie: digest(cookie), query: digest(query), madeAtMs: services.now().getTime() };
  return services.encryption.encrypt(purpose, JSON.stringify(claims));
}

/** Whether a form is from this site, for this browser and authorization request, and not too old. */
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

/** The digest of a cookie, to recognize it without storing it. */
export function cookieDigest(cookie: string): string {
  return digest(cookie);
}

function digest(text: string): string {
  return Buffer.from(hashOpaqueToken(text)).toString('base64');
}
