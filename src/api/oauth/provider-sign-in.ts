// Sign-in with one of the operator's OpenID providers: the redirect to it and the callback. The `state` has the request
// and the provider, encrypted and bound to the browser. Each provider has a callback of its own, so that the code of
// one is never sent to another (mix-up, RFC 9700, section 4.4).
import { z } from 'zod';
import { onlyValue } from '../../auth/grants/authorization-request.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { callbackPath } from '../../auth/sign-in/provider-callback.js';
import { loggedName } from '../../auth/user-name.js';
import { createTrip, ProviderRefusal } from '../../auth/sign-in/provider.js';
import type { SignInDemands, SignInProvider } from '../../auth/sign-in/provider.js';
import { providerById, providerOfAddress, requireOwnDomain } from '../../auth/sign-in/providers.js';
import { admitProviderUser } from '../../accounts/provider-users.js';
import { html } from '../../http/html.js';
import { readForm } from './body.js';
import { cookieDigest, isFormOf, visitorCookie } from './browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { sendPage, sendStaleForm } from './page.js';
import { noteRefusedSignIn } from './denied-requests.js';
import { letIn, redirect, sessionOf } from './sign-in.js';
import { sendSignInPage } from './sign-in-page.js';

const purpose = 'provider sign-in';
const tripMinutesMax = 10;

const stateContent = z.object({
  provider: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  maxAgeSeconds: z.number().optional(),
  cookie: z.string(),
  madeAtMs: z.number(),
  page: z.enum(['authorize', 'device', 'account']),
  query: z.string(),
});

/** Handles the form with the provider's button, and the form for the email address. */
export async function leaveForProvider(exchange: OauthExchange, destination: Destination): Promise<void> {
  const form = await readForm(exchange.request);
  requireProviders(exchange);
  const { page, query } = destination;
  const cookie = visitorCookie(exchange);
  const token = onlyValue(form, 'form') ?? null;
  if (cookie === undefined || !isFormOf(exchange, formAction(destination, 'provider'), token, query)) {
    return sendStaleForm(exchange, destination);
  }
  const { encryption, now, signIn } = exchange.services;
  const email = onlyValue(form, 'email')?.trim() ?? '';
  if (signIn.isByPassword && onlyValue(form, 'by') === 'password') {
    return sendSignInPage(exchange, destination, undefined, { email });
  }
  const provider = chosenProvider(exchange, onlyValue(form, 'provider'), email);
  if (provider === undefined) {
    record(exchange, 'sign_in_refused', { principal: loggedName(email), reason: 'no provider' });
    if (signIn.isByPassword) return sendSignInPage(exchange, destination, undefined, { email });
    const message = 'No identity provider is set up for this email domain. Ask the operator of this service.';
    return sendRefused(exchange, destination, 403, message);
  }
  const { maxAgeSeconds, ...demands } = demandsOf({
    ...destination,
    ...(email === '' ? {} : { loginHint: email.slice(0, 254) }),
  });
  const trip = createTrip(maxAgeSeconds);
  const pending = {
    provider: provider.id,
    ...trip,
    cookie: cookieDigest(cookie),
    madeAtMs: now().getTime(),
    page,
    query,
  };
  const state = encryption.encrypt(purpose, JSON.stringify(pending));
  const url = await provider.authorizationUrl(trip, state, callbackOf(exchange, provider), demands);
  return redirect(exchange, url.href);
}

/** Where the provider sends the browser back to. */
export async function answerProviderCallback(exchange: OauthExchange): Promise<void> {
  const { services } = exchange;
  requireProviders(exchange);
  const search = new URLSearchParams(exchange.search);
  const state = onlyValue(search, 'state') ?? '';
  const opened = services.encryption.decrypt(purpose, state);
  if (opened === undefined) throw new OauthError('invalid_request', 'The state parameter is invalid.');
  const content = stateContent.safeParse(JSON.parse(opened));
  if (!content.success) throw new OauthError('invalid_request', 'The state parameter is invalid.');
  const { page, query, cookie, madeAtMs, provider: id, ...trip } = content.data;
  const provider = providerById(services.signIn.providers, id);
  if (provider === undefined || exchange.path !== `/v0${callbackPath(provider)}`) {
    record(exchange, 'sign_in_refused', { reason: 'callback of another provider' });
    throw new OauthError('invalid_request', 'The state parameter belongs to another identity provider.');
  }
  const destination: Destination = { page, query };
  const isFresh = services.now().getTime() - madeAtMs < tripMinutesMax * 60_000;
  const visitor = visitorCookie(exchange);
  if (!isFresh || visitor === undefined || cookieDigest(visitor) !== cookie) {
    // If the browser has signed in meanwhile, it continues as that user.
    return (await sessionOf(exchange)) === undefined
      ? sendStaleForm(exchange, destination)
      : redirect(exchange, `${page}?${query}`);
  }
  const callback = new URL(`${callbackOf(exchange, provider)}?${search}`);
  try {
    const stored = { ...trip, maxAgeSeconds: trip.maxAgeSeconds };
    const identified = await provider.identify(stored, state, callback);
    requireOwnDomain(services.signIn.providers, provider, identified);
    const { name, signedInAt, session } = identified;
    const admitted = await admitProviderUser(services.db, provider, identified, {
      now: services.now(),
      requestId: exchange.visitor.requestId,
    });
    const { user } = admitted;
    if (user === undefined) {
      record(exchange, 'sign_in_refused', { principal: name, reason: 'unknown user of the provider' });
      noteRefusedSignIn(exchange, name, 'The user of the identity provider does not exist in this service.');
      return sendRefused(
        exchange,
        destination,
        403,
        'You signed in with the provider, but you are not a user of this service. Ask an admin for an invitation.',
      );
    }
    if (admitted.changes > 0)
      record(exchange, 'memberships_changed', { principal: name, what: String(admitted.changes) });
    return await letIn(exchange, destination, user, `by ${provider.name}`, { signedInAt, provider: session });
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    record(exchange, 'sign_in_refused', { reason: error.reason });
    return sendRefused(exchange, destination, 403, error.message);
  }
}

function requireProviders({ services }: OauthExchange): void {
  if (services.signIn.providers.length > 0) return;
  throw new OauthError('invalid_request', 'Sign-in with a provider is disabled.');
}

/** The provider of a button, else that of the email address, else the only one. */
function chosenProvider(
  { services }: OauthExchange,
  id: string | undefined,
  email: string,
): SignInProvider | undefined {
  const { providers } = services.signIn;
  if (id !== undefined) return providerById(providers, id);
  if (email !== '') return providerOfAddress(providers, email);
  return providers.length === 1 ? providers[0] : undefined;
}

function callbackOf({ services }: OauthExchange, provider: SignInProvider): string {
  return `${services.tokens.issuer}${callbackPath(provider)}`;
}

/** Passes the client's sign-in requirements to the provider, which could otherwise accept an old sign-in. */
function demandsOf({ query, loginHint }: Destination): SignInDemands & { maxAgeSeconds: number | undefined } {
  const search = new URLSearchParams(query);
  const prompts = (search.get('prompt') ?? '').split(' ');
  const prompt = (['login', 'select_account'] as const).find((each) => prompts.includes(each));
  const maxAge = search.get('max_age') ?? '';
  return { prompt, maxAgeSeconds: maxAge === '' ? undefined : Number(maxAge), loginHint };
}

function sendRefused(exchange: OauthExchange, { page, query }: Destination, status: number, message: string): void {
  sendPage(exchange, {
    title: 'Sign-in failed',
    status,
    content: html`
      <h1>Sign-in failed</h1>
      <p class="alarm" role="alert">${message}</p>
      <p><a href="${page}?${query}">Start again</a></p>
    `,
  });
}
