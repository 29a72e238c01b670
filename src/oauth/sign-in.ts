// Signing in and out, on the way to whatever somebody wants.
import { onlyValue } from '../access/grants/authorization-request.js';
import { endSession, findSession, startSession } from '../access/sign-in/browser-session.js';
import type { Session } from '../access/sign-in/browser-session.js';
import { findUserByPassword } from '../access/sign-in/password.js';
import { countAttempt, forgiveAttempts } from '../access/sign-in/sign-in-attempts.js';
import { canonicalUserName } from '../access/user-name.js';
import { sendEmpty } from '../http/answer.js';
import { isFormOf, setVisitorCookie, visitorCookie } from './browser.js';
import { knownBrowserFor, rememberBrowser } from './known-browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { oneClickUser } from './one-click.js';
import { sendStaleForm } from './page.js';
import { sendSignInPage } from './sign-in-page.js';

export interface SignedIn {
  session: Session;
  cookie: string;
}

/** Who is signed in in this browser. */
export async function sessionOf(exchange: OauthExchange): Promise<SignedIn | undefined> {
  const cookie = visitorCookie(exchange);
  if (cookie === undefined) return undefined;
  const session = await findSession(exchange.services.db, cookie, exchange.services.now());
  return session === undefined ? undefined : { session, cookie };
}

/** What the sign-in form brings. Each attempt counts, whether the name is known or not. */
export async function signIn(exchange: OauthExchange, form: URLSearchParams, destination: Destination): Promise<void> {
  const { page, query } = destination;
  if (!isFormOf(exchange, formAction(destination, 'sign-in'), onlyValue(form, 'form') ?? null, query)) {
    // Whoever signed in elsewhere since the form was made goes on as that user; the form itself does nothing.
    return (await sessionOf(exchange)) === undefined
      ? sendStaleForm(exchange, destination)
      : redirect(exchange, `${page}?${query}`);
  }
  const { services, visitor } = exchange;
  const oneClick = form.has('one-click') ? oneClickUser(exchange) : undefined;
  if (oneClick !== undefined) {
    const user = await services.db.principal.findUnique({ where: { name: oneClick } });
    if (user !== null) return letIn(exchange, destination, user);
  }
  const email = onlyValue(form, 'email') ?? '';
  if (!services.signIn.isByPassword) {
    record(exchange, 'sign_in_refused', { ...clientOf(destination), reason: 'no passwords here' });
    return sendSignInPage(exchange, destination, { status: 403, message: 'Nobody signs in by password here.', email });
  }
  const name = canonicalUserName(email);
  const about = { ...clientOf(destination), principal: name ?? email };
  const attempt = { name, address: visitor.address, knownBrowser: await knownBrowserFor(exchange, name) };
  const wait = await countAttempt(services.db, attempt, services.now());
  if (wait !== undefined) {
    record(exchange, 'sign_in_refused', { ...about, reason: 'too many attempts' });
    exchange.response.setHeader('retry-after', String(wait.retryAfterSeconds));
    const message = `There were too many attempts to sign in. Try again in ${minutesIn(wait.retryAfterSeconds)}.`;
    return sendSignInPage(exchange, destination, { status: 429, message, email });
  }
  const user = await findUserByPassword(services.db, name, form.get('password') ?? '');
  if (user === undefined) {
    record(exchange, 'sign_in_refused', { ...about, reason: 'name or password' });
    const message = 'The email address or the password is not right.';
    return sendSignInPage(exchange, destination, { status: 403, message, email });
  }
  await forgiveAttempts(services.db, attempt);
  return letIn(exchange, destination, user);
}

/**
 * Begins a session in this browser, in the place of the one that it had, and goes on.
 *
 * @param signedInAt when the user proved who they are, if that was not just now.
 */
export async function letIn(
  exchange: OauthExchange,
  destination: Destination,
  user: { id: string; name: string },
  signedInAt?: Date,
): Promise<void> {
  await beginSession(exchange, user.id, signedInAt);
  record(exchange, 'signed_in', { ...clientOf(destination), principal: user.name });
  return redirect(exchange, `${destination.page}?${withoutSignInDemands(destination.query)}`);
}

/** Begins a session in this browser, in the place of the one that it had. */
export async function beginSession(exchange: OauthExchange, principalId: string, signedInAt?: Date): Promise<void> {
  const { services, visitor, request } = exchange;
  const { db, now } = services;
  const before = visitorCookie(exchange);
  if (before !== undefined) await endSession(db, before);
  const browser = { address: visitor.address, userAgent: request.headers['user-agent'] };
  setVisitorCookie(exchange, await startSession(db, principalId, now(), browser, signedInAt));
  rememberBrowser(exchange, principalId);
}

/** What the sign-out form brings: the session ends, and the same page begins again. */
export async function signOut(exchange: OauthExchange, form: URLSearchParams, destination: Destination): Promise<void> {
  const { page, query } = destination;
  if (!isFormOf(exchange, formAction(destination, 'sign-out'), onlyValue(form, 'form') ?? null, query)) {
    return sendStaleForm(exchange, destination);
  }
  const signedIn = await sessionOf(exchange);
  if (signedIn !== undefined) {
    await endSession(exchange.services.db, signedIn.cookie);
    record(exchange, 'signed_out', { principal: signedIn.session.principal.name });
  }
  setVisitorCookie(exchange, undefined);
  return redirect(exchange, `${page}?${query}`);
}

/** 303, so that a browser never sends a form on (RFC 9700, section 4.12). */
export function redirect({ response }: OauthExchange, location: string): void {
  sendEmpty(response, 303, { location });
}

/** A time as people say it. */
export function minutesIn(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

function clientOf({ client }: Destination): { client?: string } {
  return client === undefined ? {} : { client: client.id };
}

/** Who has just signed in is not asked to again, however short the `max_age` is; `auth_time` tells the client. */
function withoutSignInDemands(query: string): string {
  const search = new URLSearchParams(query);
  search.delete('max_age');
  const prompts = (search.get('prompt') ?? '')
    .split(' ')
    .filter((prompt) => !['login', 'select_account', ''].includes(prompt));
  if (prompts.length === 0) search.delete('prompt');
  else search.set('prompt', prompts.join(' '));
  return search.toString();
}
