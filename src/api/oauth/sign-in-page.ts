import type { SignInProvider } from '../../auth/sign-in/provider.js';
import { ensureVisitorCookie, formToken } from './browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { oneClickUser } from './one-click.js';
import { sendPage } from './page.js';

/** The error of the last attempt to sign in. */
interface SignInFailure {
  status: number;
  message: string;
  email: string;
}

/**
 * The sign-in page, with the error of the last attempt. With several providers it first asks for the email address,
 * whose domain determines the provider.
 *
 * @param asksPassword whether the user chose to sign in with a password, and the email address.
 */
export function sendSignInPage(
  exchange: OauthExchange,
  destination: Destination,
  failure?: SignInFailure,
  asksPassword?: { email: string },
): void {
  const { query, loginHint, formTarget } = destination;
  const action = formAction(destination, 'sign-in');
  const cookie = ensureVisitorCookie(exchange);
  const token = formToken(exchange, action, cookie, query);
  const user = oneClickUser(exchange);
  const { providers, isByPassword } = exchange.services.signIn;
  const [only] = providers.length === 1 ? providers : [];
  const asksEmail = providers.length > 1;
  const email = failure?.email ?? asksPassword?.email ?? loginHint ?? '';
  // A failed attempt with a password shows its form again.
  const showsPassword = isByPassword && (!asksEmail || asksPassword !== undefined || failure !== undefined);
  const broken = failure === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  sendPage(exchange, {
    title: failure === undefined ? 'Sign in' : 'Sign-in failed',
    status: failure?.status ?? 200,
    formTargets: [formTarget, ...providers.map(({ issuer }) => issuer)],
    content: html`
      <h1>Sign in</h1>
      <p class="quiet">to ${purposeOf(destination)}</p>
      ${failure === undefined ? undefined : html`<p class="alarm" id="problem" role="alert">${failure.message}</p>`}
      ${
        user === undefined
          ? undefined
          : html`<form method="post" action="${action}?${query}">
              <input type="hidden" name="form" value="${token}" />
              <div class="buttons"><button type="submit" name="one-click" value="yes">Continue as ${user}</button></div>
              <p class="quiet">Demo: the owner signs in with one click.</p>
            </form>`
      }
      ${only === undefined ? undefined : providerForm(exchange, destination, cookie, only)}
      ${asksEmail && !showsPassword ? emailForm(exchange, destination, { cookie, email, isByPassword, broken }) : undefined}
      ${showsPassword ? passwordForm({ action, query, token, email, broken }) : undefined}
    `,
  });
}

function purposeOf({ client, page, query }: Destination): string {
  if (client !== undefined) return `continue to ${client.displayName}`;
  if (page === 'device') return 'connect an application or device';
  return query === '' ? 'manage your account' : 'answer your invitation';
}

function passwordForm({ action, query, token, email, broken }: PasswordForm): Html {
  return html`<form method="post" action="${action}?${query}">
      <input type="hidden" name="form" value="${token}" />
      ${emailField(email, broken)}
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="200"
        ${broken}
      />
      <div class="buttons"><button type="submit">Sign in</button></div>
    </form>
    <footer class="quiet">No password? Ask the operator of this service.</footer>`;
}

interface PasswordForm {
  action: string;
  query: string;
  token: string;
  email: string;
  /** Attributes that mark the fields as invalid for screen readers. */
  broken: Html | undefined;
}

function emailField(email: string, broken: Html | undefined): Html {
  return html`<label for="email">Email address</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="username"
      required
      maxlength="254"
      value="${email}"
      ${broken}
    />`;
}

/** The form for the email address, whose domain determines the provider. */
function emailForm(
  exchange: OauthExchange,
  destination: Destination,
  { cookie, email, isByPassword, broken }: EmailForm,
): Html {
  const { query } = destination;
  const action = formAction(destination, 'provider');
  return html`<form method="post" action="${action}?${query}">
    <input type="hidden" name="form" value="${formToken(exchange, action, cookie, query)}" />
    ${emailField(email, broken)}
    <div class="buttons">
      <button type="submit">Continue</button>
      ${isByPassword ? html`<button type="submit" name="by" value="password" class="plain">Use a password</button>` : undefined}
    </div>
  </form>`;
}

interface EmailForm extends Pick<PasswordForm, 'email' | 'broken'> {
  cookie: string;
  isByPassword: boolean;
}

/** The form with the button of a provider. */
export function providerForm(
  exchange: OauthExchange,
  destination: Destination,
  cookie: string,
  { id, name }: SignInProvider,
): Html {
  const { query } = destination;
  const action = formAction(destination, 'provider');
  const token = formToken(exchange, action, cookie, query);
  return html`<form method="post" action="${action}?${query}">
    <input type="hidden" name="form" value="${token}" />
    <input type="hidden" name="provider" value="${id}" />
    <div class="buttons"><button type="submit">Sign in with ${name}</button></div>
  </form>`;
}
