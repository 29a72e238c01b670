// Sign-in and sign-out, which return to the requested page.
import { onlyValue } from '../../auth/grants/authorization-request.js';
import type { SignedInUser } from '../../auth/grants/authorization.js';
import { findSession } from '../../auth/sign-in/browser-session.js';
import type { Session } from '../../auth/sign-in/browser-session.js';
import { findUserByPassword } from '../../auth/sign-in/password.js';
import { countAttempt, forgiveAttempts } from '../../auth/sign-in/sign-in-attempts.js';
import { canonicalUserName, loggedName } from '../../auth/user-name.js';
import { sendEmpty } from '../../http/answer.js';
import { beginSignIn, endSignIn } from '../../accounts/sign-ins.js';
import type { SignInMethod } from '../../accounts/sign-ins.js';
import { isFormOf, setVisitorCookie, visitorCookie } from './browser.js';
import { knownBrowserFor, rememberBrowser } from './known-browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { oneClickUser } from './one-click.js';
import { sendStaleForm } from './page.js';
import { noteRefusedSignIn } from './denied-requests.js';
import { sendSignInPage } from './sign-in-page.js';
import { visitOf } from './visits.js';

export interface SignedIn {
  session: Session;
  cookie: string;
}

/** The user who is signed in with this browser. */
export async function sessionOf(exchange: OauthExchange): Promise<SignedIn | undefined> {
  const cookie = visitorCookie(exchange);
  if (cookie === undefined) return undefined;
  const session = await findSession(exchange.services.db, cookie, exchange.services.now());
  return session === undefined ? undefined : { session, cookie };
}

/** The user of a session, for grants. */
export function userOf({ id, principal, signedInAt, provider }: Session): SignedInUser {
  return { principalId: principal.id, sessionId: id, signedInAt, provider };
}

/** Handles the sign-in form. Each attempt counts, for known and unknown names. */
export async function signIn(exchange: OauthExchange, form: URLSearchParams, destination: Destination): Promise<void> {
  const { page, query } = destination;
  if (!isFormOf(exchange, formAction(destination, 'sign-in'), onlyValue(form, 'form') ?? null, query)) {
    // If the browser has signed in since the form was shown, it continues as that user, and the form has no effect.
    return (await sessionOf(exchange)) === undefined
      ? sendStaleForm(exchange, destination)
      : redirect(exchange, `${page}?${query}`);
  }
  const { services, visitor } = exchange;
  const oneClick = form.has('one-click') ? oneClickUser(exchange) : undefined;
  if (oneClick !== undefined) {
    const user = await services.db.principal.findUnique({ where: { name: oneClick } });
    if (user !== null) return letIn(exchange, destination, user, 'with one click');
  }
  const email = onlyValue(form, 'email') ?? '';
  const name = canonicalUserName(email);
  if (!services.signIn.isByPassword) {
    record(exchange, 'sign_in_refused', { ...clientOf(destination), reason: 'password sign-in is off' });
    noteRefusedSignIn(exchange, name, 'Password sign-in is disabled.');
    return sendSignInPage(exchange, destination, { status: 403, message: 'Password sign-in is disabled.', email });
  }
  const about = { ...clientOf(destination), principal: loggedName(email) };
  const attempt = { name, address: visitor.address, knownBrowser: await knownBrowserFor(exchange, name) };
  const wait = await countAttempt(services.db, attempt, services.now());
  if (wait !== undefined) {
    record(exchange, 'sign_in_refused', { ...about, reason: 'too many attempts' });
    noteRefusedSignIn(exchange, name, 'Too many sign-in attempts.');
    exchange.response.setHeader('retry-after', String(wait.retryAfterSeconds));
    const message = `Too many sign-in attempts. Try again in ${minutesIn(wait.retryAfterSeconds)}.`;
    return sendSignInPage(exchange, destination, { status: 429, message, email });
  }
  const user = await findUserByPassword(services.db, name, form.get('password') ?? '');
  if (user === undefined) {
    record(exchange, 'sign_in_refused', { ...about, reason: 'name or password' });
    noteRefusedSignIn(exchange, name, 'Incorrect password.');
    const message = 'Incorrect email address or password.';
    return sendSignInPage(exchange, destination, { status: 403, message, email });
  }
  await forgiveAttempts(services.db, attempt);
  return letIn(exchange, destination, user, 'by password', { passwordSetAt: user.passwordSetAt });
}

/**
 * Starts a session in this browser, which replaces the previous one, and redirects to the requested page.
 *
 * @param by the method of authentication, for the record.
 * @param how the time of the authentication, now if absent, and the session at the provider.
 */
export async function letIn(
  exchange: OauthExchange,
  destination: Destination,
  user: { id: string; name: string },
  by: string,
  how: Omit<SignInMethod, 'message'> = {},
): Promise<void> {
  await beginSession(exchange, user, { message: `Signed in ${by}`, ...how });
  record(exchange, 'signed_in', { ...clientOf(destination), principal: user.name });
  return redirect(exchange, `${destination.page}?${withoutSignInDemands(destination.query)}`);
}

/**
 * Starts a session in this browser, which replaces the previous one.
 *
 * @param how without the message of the change record, if the user stays the same.
 */
export async function beginSession(
  exchange: OauthExchange,
  user: { id: string; name: string },
  how: SignInMethod = {},
): Promise<void> {
  const { services, request } = exchange;
  const browser = { cookie: visitorCookie(exchange), userAgent: request.headers['user-agent'] };
  setVisitorCookie(exchange, await beginSignIn(services.db, visitOf(exchange, user), browser, how));
  rememberBrowser(exchange, user.id);
}

/** Ends the session in this browser, if it has one. */
export async function endSessionHere(exchange: OauthExchange): Promise<void> {
  const { services, visitor } = exchange;
  const cookie = visitorCookie(exchange);
  if (cookie === undefined) return;
  const user = await endSignIn(services.db, cookie, { ...visitor, now: services.now() });
  if (user !== undefined) record(exchange, 'signed_out', { principal: user.name });
  setVisitorCookie(exchange, undefined);
}

/** Handles the sign-out form: ends the session and shows the page again. */
export async function signOut(exchange: OauthExchange, form: URLSearchParams, destination: Destination): Promise<void> {
  const { page, query } = destination;
  if (!isFormOf(exchange, formAction(destination, 'sign-out'), onlyValue(form, 'form') ?? null, query)) {
    return sendStaleForm(exchange, destination);
  }
  await endSessionHere(exchange);
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

/** A user who has just signed in is not asked again, even for a short `max_age`. The client checks `auth_time`. */
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
