// The authorization endpoint (RFC 6749, section 3.1) with its pages. The request stands in the address of each
// page and of each form, so that nothing of it has to be remembered between them.
import { authorizeClient, findPlaces, rememberedDecision } from '../access/oauth/authorization.js';
import type { Decision } from '../access/oauth/authorization.js';
import { onlyValue, readAuthorizationRequest, RedirectableError } from '../access/oauth/authorization-request.js';
import type { AuthorizationRequest, RedirectTarget } from '../access/oauth/authorization-request.js';
import { OauthError } from '../access/oauth/oauth-error.js';
import { findUserByPassword } from '../access/oauth/password.js';
import { endSession, findSession, startSession } from '../access/oauth/session.js';
import type { Session } from '../access/oauth/session.js';
import { countAttempt, forgiveAttempts } from '../access/oauth/sign-in-attempts.js';
import { readForm } from './body.js';
import { isFormOf, setVisitorCookie, visitorCookie } from './browser.js';
import { placeValue, sendConsentPage } from './consent-page.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { sendStaleForm } from './page.js';
import { sendSignInPage } from './sign-in-page.js';

/** An exchange about one authorization request, and what of it stands in addresses. */
interface Asked {
  exchange: OauthExchange;
  authorization: AuthorizationRequest;
  query: string;
}

/** What a client sends its user to: sign-in, consent, or straight back when both were done before. */
export async function answerAuthorize(exchange: OauthExchange): Promise<void> {
  await redirectingErrors(exchange, async (asked) => {
    const { authorization } = asked;
    const isSilent = authorization.prompts.includes('none');
    const signedIn = await sessionOf(exchange);
    if (signedIn === undefined || authorization.prompts.includes('login')) {
      if (isSilent) throw refusal(authorization, 'login_required', 'The user is not signed in.');
      return sendSignInPage(exchange, authorization, asked.query);
    }
    const { principal } = signedIn.session;
    const remembered = await rememberedDecision(exchange.services.db, principal.id, authorization);
    if (remembered !== undefined) return giveCode(asked, signedIn.session, remembered);
    if (isSilent) throw refusal(authorization, 'consent_required', 'The user has not agreed yet.');
    const places = await findPlaces(exchange.services.db, principal.id);
    if (places.length === 0) throw refusal(authorization, 'access_denied', 'The user belongs to no account.');
    return sendConsentPage(exchange, authorization, { ...signedIn, places }, asked.query);
  });
}

/** The sign-in form. Each attempt counts, whether the name is known or not. */
export async function answerSignIn(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, async ({ authorization, query }) => {
    if (!isFormOf(exchange, 'sign-in', onlyValue(form, 'form') ?? null, query)) return sendStaleForm(exchange, query);
    const { services, visitor } = exchange;
    const email = onlyValue(form, 'email') ?? '';
    const about = { client: authorization.client.id, principal: email.slice(0, 254) };
    const wait = await countAttempt(services.db, email, visitor.address, services.now());
    if (wait !== undefined) {
      record(exchange, 'sign_in_refused', { ...about, reason: 'too many attempts' });
      exchange.response.setHeader('retry-after', String(wait.retryAfterSeconds));
      const minutes = Math.ceil(wait.retryAfterSeconds / 60);
      const message = `There were too many attempts to sign in. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
      return sendSignInPage(exchange, authorization, query, { status: 429, message, email });
    }
    const user = await findUserByPassword(services.db, email, form.get('password') ?? '');
    if (user === undefined) {
      record(exchange, 'sign_in_refused', { ...about, reason: 'name or password' });
      const message = 'The email address or the password is not right.';
      return sendSignInPage(exchange, authorization, query, { status: 403, message, email });
    }
    await forgiveAttempts(services.db, email, visitor.address);
    const before = visitorCookie(exchange);
    if (before !== undefined) await endSession(services.db, before);
    setVisitorCookie(exchange, await startSession(services.db, user.id, services.now()));
    record(exchange, 'signed_in', { client: authorization.client.id, principal: user.name });
    return redirect(exchange, `authorize?${withoutLoginPrompt(query)}`);
  });
}

/** The consent form. Whoever is not signed in any more begins again. */
export async function answerConsent(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, async (asked) => {
    const { authorization, query } = asked;
    if (!isFormOf(exchange, 'consent', onlyValue(form, 'form') ?? null, query)) return sendStaleForm(exchange, query);
    const signedIn = await sessionOf(exchange);
    if (signedIn === undefined) return redirect(exchange, `authorize?${query}`);
    const { principal } = signedIn.session;
    if (onlyValue(form, 'decision') !== 'allow') {
      throw refusal(authorization, 'access_denied', 'The user did not allow it.', principal.name);
    }
    const places = await findPlaces(exchange.services.db, principal.id);
    const chosen = onlyValue(form, 'place');
    const place = places.find((each) => placeValue(each) === chosen);
    if (place === undefined)
      throw refusal(authorization, 'access_denied', 'The place is out of reach.', principal.name);
    return giveCode(asked, signedIn.session, { ...place, scopes: form.getAll('scope') });
  });
}

/** The sign-out form: the session ends, and the same request begins again. */
export async function answerSignOut(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, async ({ query }) => {
    if (!isFormOf(exchange, 'sign-out', onlyValue(form, 'form') ?? null, query)) return sendStaleForm(exchange, query);
    const signedIn = await sessionOf(exchange);
    if (signedIn !== undefined) {
      await endSession(exchange.services.db, signedIn.cookie);
      record(exchange, 'signed_out', { principal: signedIn.session.principal.name });
    }
    setVisitorCookie(exchange, undefined);
    return redirect(exchange, `authorize?${query}`);
  });
}

async function giveCode({ exchange, authorization }: Asked, session: Session, decision: Decision): Promise<void> {
  const { services } = exchange;
  const { principal } = session;
  const issued = await authorizeClient(services.db, principal.id, authorization, decision, services.now()).catch(
    (error: unknown) => {
      throw error instanceof OauthError ? new RedirectableError(authorization, error) : error;
    },
  );
  const { code, authorizationId, scope } = issued;
  const about = { client: authorization.client.id, principal: principal.name, authorization: authorizationId };
  record(exchange, 'code_issued', { ...about, scope });
  answerClient(exchange, authorization, { code });
}

async function sessionOf(exchange: OauthExchange): Promise<{ session: Session; cookie: string } | undefined> {
  const cookie = visitorCookie(exchange);
  if (cookie === undefined) return undefined;
  const session = await findSession(exchange.services.db, cookie, exchange.services.now());
  return session === undefined ? undefined : { session, cookie };
}

/** Reads the authorization request; what the client has to know goes to the client (RFC 6749, section 4.1.2.1). */
async function redirectingErrors(exchange: OauthExchange, act: (asked: Asked) => Promise<void> | void): Promise<void> {
  const { services, request } = exchange;
  const search = new URLSearchParams((request.url ?? '').split(/\?(.*)/s)[1]);
  const settings = { publicUrl: services.publicUrl, audience: services.tokens.audience };
  try {
    const authorization = await readAuthorizationRequest(services.db, search, settings);
    await act({ exchange, authorization, query: search.toString() });
  } catch (error) {
    if (!(error instanceof RedirectableError)) throw error;
    const { target, reason } = error;
    record(exchange, 'authorization_refused', { ...reason.subject, error: reason.code });
    answerClient(exchange, target, { error: reason.code, error_description: reason.message });
  }
}

/** RFC 6749, section 4.1.2; with `iss`, so that a client of several servers knows whose answer it is (RFC 9207). */
function answerClient(exchange: OauthExchange, target: RedirectTarget, answer: Record<string, string>): void {
  const address = new URL(target.redirectUri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.append(name, value);
  if (target.state !== undefined) address.searchParams.append('state', target.state);
  address.searchParams.append('iss', exchange.services.tokens.issuer);
  redirect(exchange, address.href);
}

/** 303, so that a browser never sends a form on (RFC 9700, section 4.12). */
function redirect({ response }: OauthExchange, location: string): void {
  response.writeHead(303, { location, 'referrer-policy': 'no-referrer', 'content-length': 0 }).end();
}

function refusal(
  authorization: AuthorizationRequest,
  code: 'login_required' | 'consent_required' | 'access_denied',
  description: string,
  principal?: string,
): RedirectableError {
  const subject = { client: authorization.client.id, ...(principal === undefined ? {} : { principal }) };
  return new RedirectableError(authorization, new OauthError(code, description, subject));
}

/** Who has just signed in is not asked to again. */
function withoutLoginPrompt(query: string): string {
  const search = new URLSearchParams(query);
  const prompts = (search.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== 'login' && prompt !== '');
  if (prompts.length === 0) search.delete('prompt');
  else search.set('prompt', prompts.join(' '));
  return search.toString();
}
