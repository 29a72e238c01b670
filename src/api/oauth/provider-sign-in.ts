// Sign-in with the operator's OpenID provider: the redirect to it and the callback. The `state` has the request,
// encrypted and bound to the browser.
import { z } from 'zod';
import { onlyValue } from '../../auth/grants/authorization-request.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { createTrip, findUserByName, ProviderRefusal } from '../../auth/sign-in/provider.js';
import type { SignInDemands, SignInProvider } from '../../auth/sign-in/provider.js';
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

const purpose = 'provider sign-in';
const tripMinutesMax = 10;

/** Where the provider sends people back to, below the issuer; it is registered there. */
const callbackPath = '/oauth/provider-callback';

const stateContent = z.object({
  nonce: z.string(),
  verifier: z.string(),
  maxAgeSeconds: z.number().optional(),
  cookie: z.string(),
  madeAtMs: z.number(),
  page: z.enum(['authorize', 'device', 'account']),
  query: z.string(),
});

/** Handles the form with the provider's button. */
export async function leaveForProvider(exchange: OauthExchange, destination: Destination): Promise<void> {
  const form = await readForm(exchange.request);
  const provider = requireProvider(exchange);
  const { page, query } = destination;
  const cookie = visitorCookie(exchange);
  const token = onlyValue(form, 'form') ?? null;
  if (cookie === undefined || !isFormOf(exchange, formAction(destination, 'provider'), token, query)) {
    return sendStaleForm(exchange, destination);
  }
  const { encryption, now } = exchange.services;
  const { maxAgeSeconds, ...demands } = demandsOf(destination);
  const trip = createTrip(maxAgeSeconds);
  const pending = { ...trip, cookie: cookieDigest(cookie), madeAtMs: now().getTime(), page, query };
  const state = encryption.encrypt(purpose, JSON.stringify(pending));
  const address = await provider.addressFor(trip, state, callbackOf(exchange), demands);
  return redirect(exchange, address.href);
}

/** Where the provider sends the browser back to. */
export async function answerProviderCallback(exchange: OauthExchange): Promise<void> {
  const provider = requireProvider(exchange);
  const { services } = exchange;
  const search = new URLSearchParams(exchange.search);
  const state = onlyValue(search, 'state') ?? '';
  const opened = services.encryption.decrypt(purpose, state);
  if (opened === undefined) throw new OauthError('invalid_request', 'The state parameter is invalid.');
  const { page, query, cookie, madeAtMs, ...trip } = stateContent.parse(JSON.parse(opened));
  const destination: Destination = { page, query };
  const isFresh = services.now().getTime() - madeAtMs < tripMinutesMax * 60_000;
  const visitor = visitorCookie(exchange);
  if (!isFresh || visitor === undefined || cookieDigest(visitor) !== cookie) {
    // If the browser has signed in meanwhile, it continues as that user.
    return (await sessionOf(exchange)) === undefined
      ? sendStaleForm(exchange, destination)
      : redirect(exchange, `${page}?${query}`);
  }
  const callback = new URL(`${callbackOf(exchange)}?${search}`);
  try {
    const stored = { ...trip, maxAgeSeconds: trip.maxAgeSeconds };
    const { name, signedInAt } = await provider.identify(stored, state, callback);
    const user = await findUserByName(services.db, name);
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
    return await letIn(exchange, destination, user, `by ${provider.name}`, signedInAt);
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    record(exchange, 'sign_in_refused', { reason: error.reason });
    return sendRefused(exchange, destination, 403, error.message);
  }
}

function requireProvider({ services }: OauthExchange): SignInProvider {
  const { provider } = services.signIn;
  if (provider === undefined) throw new OauthError('invalid_request', 'Sign-in with a provider is disabled.');
  return provider;
}

function callbackOf({ services }: OauthExchange): string {
  return `${services.tokens.issuer}${callbackPath}`;
}

/** Passes the client's sign-in requirements to the provider, which could otherwise accept an old sign-in. */
function demandsOf({ query, loginHint }: Destination): SignInDemands & { maxAgeSeconds: number | undefined } {
  const search = new URLSearchParams(query);
  const prompts = (search.get('prompt') ?? '').split(' ');
  const prompt = (['login', 'select_account'] as const).find((each) => prompts.includes(each));
  const maxAge = search.get('max_age');
  return { prompt, maxAgeSeconds: maxAge === null ? undefined : Number(maxAge), loginHint };
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
