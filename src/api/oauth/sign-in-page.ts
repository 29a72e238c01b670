import { ensureVisitorCookie, formToken } from './browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { oneClickUser } from './one-click.js';
import { sendPage } from './page.js';

/** The page where somebody signs in, and what went wrong when they tried. */
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
    title: failure === undefined ? 'Sign in' : 'Could not sign in',
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
              <p class="quiet">This is a demo: its owner signs in with one click, and anybody with their password.</p>
            </form>`
      }
      ${provider === undefined ? undefined : providerForm(exchange, destination, cookie, provider.name)}
      ${isByPassword ? passwordForm({ action, query, token, email: failure?.email ?? loginHint ?? '', broken }) : undefined}
    `,
  });
}

function purposeOf({ client, page }: Destination): string {
  if (client !== undefined) return `go on to ${client.displayName}`;
  return page === 'account' ? 'see and end your own access' : 'connect a program or device';
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
    <footer class="quiet">Without a password, ask the operator of this service for one.</footer>`;
}

interface PasswordForm {
  action: string;
  query: string;
  token: string;
  email: string;
  /** What tells whoever hears the fields that something is wrong with them. */
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
