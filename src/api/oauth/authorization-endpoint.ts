// The authorization endpoint (RFC 6749, section 3.1) with its pages.
import {
  authorizeClient,
  findClosedAccounts,
  findTenants,
  rememberedDecision,
} from '../../auth/grants/authorization.js';
import type { Decision } from '../../auth/grants/authorization.js';
import { onlyValue, readAuthorizationRequest, RedirectableError } from '../../auth/grants/authorization-request.js';
import type { AuthorizationRequest, RedirectTarget } from '../../auth/grants/authorization-request.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import type { Session } from '../../auth/sign-in/browser-session.js';
import { readForm } from './body.js';
import { isFormOf } from './browser.js';
import { placeValue, sendConsentPage } from './consent-page.js';
import type { ConsentQuestion } from './consent-page.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import { sendStaleForm } from './page.js';
import { leaveForProvider } from './provider-sign-in.js';
import { redirect, sessionOf, signIn, signOut, userOf } from './sign-in.js';
import { recordingAgreement } from './visits.js';
import { sendOtherProviderPage } from './other-provider-page.js';
import { sendSignInPage } from './sign-in-page.js';

/** The request and response of an authorization request, and its URL. */
interface Asked {
  exchange: OauthExchange;
  authorization: AuthorizationRequest;
  destination: Destination;
}

/** The authorization endpoint: shows sign-in or consent, or redirects back if both were done before. */
export async function answerAuthorize(exchange: OauthExchange): Promise<void> {
  if (exchange.request.method === 'POST') {
    // OpenID Connect Core, section 3.1.2.1. The request is then in the query of the URL.
    return redirect(exchange, `authorize?${await readForm(exchange.request)}`);
  }
  await redirectingErrors(exchange, async (request) => {
    const { authorization, destination } = request;
    const { db, now } = exchange.services;
    const isSilent = authorization.prompts.includes('none');
    const signedIn = await sessionOf(exchange);
    if (signedIn === undefined || asksToSignIn(authorization, signedIn.session, now())) {
      if (isSilent) throw refusal(authorization, 'login_required', 'The user is not signed in.');
      return sendSignInPage(exchange, destination);
    }
    const user = userOf(signedIn.session);
    const remembered = await rememberedDecision(db, user, authorization);
    if (remembered !== undefined) return giveCode(request, signedIn.session, remembered);
    if (isSilent) throw refusal(authorization, 'consent_required', 'The user has not consented yet.');
    const tenants = await findTenants(db, user);
    const closed = tenants.length === 0 ? await findClosedAccounts(db, user) : [];
    if (closed.length > 0) return sendOtherProviderPage(exchange, signedIn, closed, destination);
    if (tenants.length === 0) {
      const denied = refusal(authorization, 'access_denied', 'The user is not a member of any account.');
      // The user has decided nothing: see readAuthorizationRequest().
      throw authorization.client.selfRegistered ? denied.reason : denied;
    }
    return sendConsentPage(exchange, { ...signedIn, tenants }, consentTo(request));
  });
}

/** OpenID Connect Core, section 3.1.2.1. To choose an account is to sign in with it. */
function asksToSignIn({ prompts, maxAgeSeconds }: AuthorizationRequest, session: Session, now: Date): boolean {
  if (prompts.includes('login') || prompts.includes('select_account')) return true;
  if (maxAgeSeconds === undefined) return false;
  return maxAgeSeconds === 0 || now.getTime() - session.signedInAt.getTime() > maxAgeSeconds * 1000;
}

export async function answerSignIn(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, ({ destination }) => signIn(exchange, form, destination));
}

export async function answerProvider(exchange: OauthExchange): Promise<void> {
  await redirectingErrors(exchange, ({ destination }) => leaveForProvider(exchange, destination));
}

export async function answerSignOut(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, ({ destination }) => signOut(exchange, form, destination));
}

/** Handles the consent form. A user whose session has ended signs in again. */
export async function answerConsent(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  await redirectingErrors(exchange, async (request) => {
    const { authorization, destination } = request;
    const { query } = destination;
    if (!isFormOf(exchange, formAction(destination, 'consent'), onlyValue(form, 'form') ?? null, query)) {
      return sendStaleForm(exchange, destination);
    }
    const signedIn = await sessionOf(exchange);
    if (signedIn === undefined) return redirect(exchange, `authorize?${query}`);
    const { principal } = signedIn.session;
    if (onlyValue(form, 'decision') !== 'allow') {
      throw refusal(authorization, 'access_denied', 'The user denied the request.', principal.name);
    }
    const tenants = await findTenants(exchange.services.db, userOf(signedIn.session));
    const chosen = onlyValue(form, 'place');
    const tenant = tenants.find((each) => placeValue(each) === chosen);
    if (tenant === undefined)
      throw refusal(authorization, 'access_denied', 'The account or workspace is not accessible.', principal.name);
    const scopes = form.getAll('scope');
    if (!authorization.scopes.some((name) => scopes.includes(name))) {
      return sendConsentPage(exchange, { ...signedIn, tenants }, { ...consentTo(request), isUnanswered: true });
    }
    return giveCode(request, signedIn.session, { ...tenant, scopes }, 'now');
  });
}

function consentTo({ authorization, destination }: Asked): ConsentQuestion {
  const { client, scopes, redirectUri } = authorization;
  return { client, scopes, destination, note: html`Redirects to ${addressOf(redirectUri)}.` };
}

/** The part of a redirect URI to show to the user. */
function addressOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  // The host of a scheme of its own is no host of the network.
  return /^https?:$/.test(protocol) ? host : `an application on this device (${protocol})`;
}

/** @param agreed the time of the consent, if the user has consented now; it is then recorded. */
async function giveCode(
  { exchange, authorization }: Asked,
  session: Session,
  decision: Decision,
  agreed: 'before' | 'now' = 'before',
): Promise<void> {
  const { services } = exchange;
  const { principal } = session;
  const onAgreed = agreed === 'before' ? undefined : recordingAgreement(exchange, principal, authorization.client);
  const issued = await authorizeClient(
    services.db,
    userOf(session),
    authorization,
    decision,
    services.now(),
    onAgreed,
  ).catch((error: unknown) => {
    throw error instanceof OauthError ? new RedirectableError(authorization, error) : error;
  });
  const { code, authorizationId, scope } = issued;
  const about = { client: authorization.client.id, principal: principal.name, authorization: authorizationId };
  record(exchange, 'code_issued', { ...about, scope });
  answerClient(exchange, authorization, { code });
}

/** Reads the authorization request; errors for the client are redirected to it (RFC 6749, section 4.1.2.1). */
async function redirectingErrors(
  exchange: OauthExchange,
  act: (request: Asked) => Promise<void> | void,
): Promise<void> {
  const { services } = exchange;
  const search = new URLSearchParams(exchange.search);
  const settings = { publicUrl: services.publicUrl, tokens: services.tokens };
  try {
    const authorization = await readAuthorizationRequest(services.db, search, settings);
    const { client, redirectUri: formTarget, loginHint } = authorization;
    const destination: Destination = {
      page: 'authorize',
      query: search.toString(),
      client,
      formTarget,
      loginHint,
    };
    await act({ exchange, authorization, destination });
  } catch (error) {
    if (!(error instanceof RedirectableError)) throw error;
    const { target, reason } = error;
    record(exchange, 'authorization_refused', { ...reason.subject, error: reason.code });
    answerClient(exchange, target, reason.toBody());
  }
}

/** RFC 6749, section 4.1.2; with `iss`, so that a client of several servers can identify the sender (RFC 9207). */
function answerClient(exchange: OauthExchange, target: RedirectTarget, answer: Record<string, string>): void {
  const added = new URLSearchParams(answer);
  if (target.state !== undefined) added.append('state', target.state);
  added.append('iss', exchange.services.tokens.issuer);
  redirect(exchange, withParameters(target.redirectUri, added));
}

/** Redirect URIs stay unchanged, because clients compare them. One that is invalid in a header is encoded. */
function withParameters(uri: string, added: URLSearchParams): string {
  const address = /^[\x21-\x7E]*$/.test(uri) ? uri : new URL(uri).href;
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${added}`;
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
