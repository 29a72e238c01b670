// Device authorization (RFC 8628): the endpoint for programs without a browser, and the pages where users enter the
// code and decide.
import { findClosedAccounts, findTenants } from '../../auth/grants/authorization.js';
import { onlyValue } from '../../auth/grants/authorization-request.js';
import { decideDeviceRequest, findDeviceRequest, issueDeviceCode } from '../../auth/grants/device-authorization.js';
import type { DeviceRequest } from '../../auth/grants/device-authorization.js';
import { requireGrantType } from '../../auth/grants/oauth-client.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { requireResources } from '../../auth/grants/protected-resource.js';
import { requestedScopes } from '../../auth/grants/scope-request.js';
import { countDeviceCode, countRequest, forgiveDeviceCode } from '../../auth/sign-in/sign-in-attempts.js';
import { tooManyRequests } from '../../errors.js';
import { sendJson } from '../../http/answer.js';
import { readForm, readParameters, resourcesIn } from './body.js';
import { isFormOf } from './browser.js';
import { callingClient } from './client-credentials.js';
import { placeValue, sendConsentPage } from './consent-page.js';
import type { ConsentQuestion } from './consent-page.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import { sendDeviceCodePage, sendDeviceDecidedPage, whereItIs } from './device-pages.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { sendStaleForm } from './page.js';
import { noteRefusedUser } from './denied-requests.js';
import { recordingAgreement } from './visits.js';
import { leaveForProvider } from './provider-sign-in.js';
import { minutesIn, redirect, sessionOf, signIn, signOut, userOf } from './sign-in.js';
import type { SignedIn } from './sign-in.js';
import { sendOtherProviderPage } from './other-provider-page.js';
import { sendSignInPage } from './sign-in-page.js';

/** RFC 8628, section 3.2. */
export async function answerDeviceAuthorization(exchange: OauthExchange): Promise<void> {
  const { services, visitor, response } = exchange;
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  requireGrantType(client, 'device_code');
  requireResources(services.tokens, resourcesIn(body), client.id);
  const scopes = requestedScopes(body.get('scope'), client.scope);
  const wait = await countRequest(services.db, 'device of address', visitor.address, services.now());
  if (wait !== undefined) {
    throw tooManyRequests(
      'Too many device codes were requested from this IP address. Try again after the time in Retry-After.',
      wait.retryAfterSeconds,
    );
  }
  const issued = await issueDeviceCode(services.db, client.id, scopes, visitor.address, services.now());
  record(exchange, 'device_code_issued', { client: client.id, scope: scopes.join(' ') });
  const page = `${services.tokens.issuer}/oauth/device`;
  sendJson(response, 200, {
    device_code: issued.deviceCode,
    user_code: issued.userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?${new URLSearchParams({ user_code: issued.userCode })}`,
    expires_in: issued.expiresInSeconds,
    interval: issued.intervalSeconds,
  });
}

/** The page to enter a code, and the consent page of a code. */
export async function answerDevice(exchange: OauthExchange): Promise<void> {
  const destination = destinationOf(exchange);
  const signedIn = await sessionOf(exchange);
  if (signedIn === undefined) return sendSignInPage(exchange, destination);
  const typed = userCodeOf(destination);
  if (typed === undefined) return sendDeviceCodePage(exchange, signedIn, destination);
  const { services, visitor } = exchange;
  const { principal } = signedIn.session;
  const wait = await countDeviceCode(services.db, principal.id, visitor.address, services.now());
  if (wait !== undefined) {
    record(exchange, 'device_code_refused', { principal: principal.name, reason: 'too many attempts' });
    noteRefusedUser(exchange, principal, 'device', 'Too many invalid device codes.');
    exchange.response.setHeader('retry-after', String(wait.retryAfterSeconds));
    const message = `Too many invalid codes. Try again in ${minutesIn(wait.retryAfterSeconds)}.`;
    return sendDeviceCodePage(exchange, signedIn, destination, { status: 429, message, typed });
  }
  const request = await findDeviceRequest(services.db, typed, services.now());
  if (request === undefined) return refuseCode(exchange, signedIn, destination, typed);
  await forgiveDeviceCode(services.db, principal.id, visitor.address);
  const user = userOf(signedIn.session);
  const tenants = await findTenants(services.db, user);
  const closed = tenants.length === 0 ? await findClosedAccounts(services.db, user) : [];
  if (closed.length > 0) return sendOtherProviderPage(exchange, signedIn, closed, destination);
  if (tenants.length === 0) throw new OauthError('access_denied', 'You are not a member of any account.');
  return sendConsentPage(exchange, { ...signedIn, tenants }, consentTo(request, destination, typed));
}

export async function answerDeviceSignIn(exchange: OauthExchange): Promise<void> {
  return signIn(exchange, await readForm(exchange.request), destinationOf(exchange));
}

export async function answerDeviceProvider(exchange: OauthExchange): Promise<void> {
  return leaveForProvider(exchange, destinationOf(exchange));
}

export async function answerDeviceSignOut(exchange: OauthExchange): Promise<void> {
  return signOut(exchange, await readForm(exchange.request), destinationOf(exchange));
}

/** Handles the consent form. The code was checked when it was entered, so it does not count as an attempt again. */
export async function answerDeviceConsent(exchange: OauthExchange): Promise<void> {
  const form = await readForm(exchange.request);
  const destination = destinationOf(exchange);
  const typed = userCodeOf(destination);
  const token = onlyValue(form, 'form') ?? null;
  if (typed === undefined || !isFormOf(exchange, formAction(destination, 'consent'), token, destination.query)) {
    return sendStaleForm(exchange, destination);
  }
  const signedIn = await sessionOf(exchange);
  if (signedIn === undefined) return redirect(exchange, `device?${destination.query}`);
  const { db, now } = exchange.services;
  const { principal } = signedIn.session;
  const deviceRequest = await findDeviceRequest(db, typed, now());
  if (deviceRequest === undefined) return refuseCode(exchange, signedIn, destination, typed);
  const user = userOf(signedIn.session);
  const about = { client: deviceRequest.client.id, principal: principal.name };
  const onAgreed = recordingAgreement(exchange, principal, deviceRequest.client);
  if (onlyValue(form, 'decision') !== 'allow') {
    await decideDeviceRequest(db, user, deviceRequest, undefined, now(), onAgreed);
    record(exchange, 'authorization_refused', { ...about, error: 'access_denied' });
    return sendDeviceDecidedPage(exchange, deviceRequest.client, false);
  }
  const tenants = await findTenants(db, user);
  const tenant = tenants.find((each) => placeValue(each) === onlyValue(form, 'place'));
  if (tenant === undefined) throw new OauthError('access_denied', 'The account or workspace is not accessible.', about);
  const scopes = form.getAll('scope');
  if (!deviceRequest.scopes.some((name) => scopes.includes(name))) {
    const question = { ...consentTo(deviceRequest, destination, typed), isUnanswered: true };
    return sendConsentPage(exchange, { ...signedIn, tenants }, question);
  }
  const granted = await decideDeviceRequest(db, user, deviceRequest, { ...tenant, scopes }, now(), onAgreed);
  if (granted === undefined) return refuseCode(exchange, signedIn, destination, typed);
  record(exchange, 'device_allowed', { ...about, authorization: granted.authorizationId, scope: granted.scope });
  return sendDeviceDecidedPage(exchange, deviceRequest.client, true);
}

function refuseCode(exchange: OauthExchange, signedIn: SignedIn, destination: Destination, typed: string): void {
  const { principal } = signedIn.session;
  record(exchange, 'device_code_refused', { principal: principal.name, reason: 'code' });
  noteRefusedUser(exchange, principal, 'device', 'The device code is invalid or has expired.');
  const message = 'The code is invalid or has expired. Start again on the device to get a new code.';
  sendDeviceCodePage(exchange, signedIn, destination, { status: 400, message, typed });
}

function consentTo(
  { client, scopes, address }: DeviceRequest,
  destination: Destination,
  typed: string,
): ConsentQuestion {
  return { client, scopes, destination, note: whereItIs(address, typed) };
}

/** Of the URL only the code counts. */
function destinationOf({ search }: OauthExchange): Destination {
  const typed = onlyValue(new URLSearchParams(search), 'user_code')?.trim();
  const query = typed === undefined ? '' : new URLSearchParams({ user_code: typed.slice(0, 100) }).toString();
  return { page: 'device', query };
}

function userCodeOf({ query }: Destination): string | undefined {
  return onlyValue(new URLSearchParams(query), 'user_code');
}
