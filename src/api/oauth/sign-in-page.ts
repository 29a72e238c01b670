import { ensureVisitorCookie, formToken } from './browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { oneClickUser } from './one-click.js';
import { sendPage } from './page.js';

/** The sign-in page, with the error of the last attempt. */
export function sendSignInPage(
  exchange: OauthExchange,
  destination: Destination,
  failure?: { status: number; message: string; email: string },
): void {
  const { query, loginHint, formTarget } = destination;
  const action = formAction(destination, 'sign-in');
  const cookie = ensureVisitorCookie(exchange);
  const token = formToken(exchange, action, cookie, query);
  const user = oneClickUser(exchange);
  const { provider, isByPassword } = exchange.services.signIn;
  const broken = failure === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  sendPage(exchange, {
    title: failure === undefined ? 'Sign in' : 'Sign-in failed',
    status: failure?.status ?? 200,
    formTargets: [formTarget, provider?.issuer],
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
      ${provider === undefined ? undefined : providerForm(exchange, destination, cookie, provider.name)}
      ${isByPassword ? passwordForm({ action, query, token, email: failure?.email ?? loginHint ?? '', broken }) : undefined}
    `,
  });
}

function purposeOf({ client, page }: Destination): string {
  if (client !== undefined) return `continue to ${client.displayName}`;
  return page === 'account' ? 'manage your account' : 'connect an application or device';
}

function passwordForm({ action, query, token, email, broken }: PasswordForm): Html {
  return html`<form method="post" action="${action}?${query}">
      <input type="hidden" name="form" value="${token}" />
      <label for="email">Email address</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="username"
        required
        maxlength="254"
        value="${email}"
        ${broken}
      />
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

function providerForm(exchange: OauthExchange, destination: Destination, cookie: string, name: string): Html {
  const { query } = destination;
  const action = formAction(destination, 'provider');
  const token = formToken(exchange, action, cookie, query);
  return html`<form method="post" action="${action}?${query}">
    <input type="hidden" name="form" value="${token}" />
    <div class="buttons"><button type="submit">Sign in with ${name}</button></div>
  </form>`;
}
