import type { AuthorizationRequest } from '../access/oauth/authorization-request.js';
import { ensureVisitorCookie, formToken } from './browser.js';
import type { OauthExchange } from './exchange.js';
import { html } from './html.js';
import { sendPage } from './page.js';

/** The page where somebody signs in, and what went wrong when they tried. */
export function sendSignInPage(
  exchange: OauthExchange,
  authorization: AuthorizationRequest,
  query: string,
  failure?: { status: number; message: string; email: string },
): void {
  const { client, loginHint, redirectUri } = authorization;
  const token = formToken(exchange, 'sign-in', ensureVisitorCookie(exchange), query);
  const broken = failure === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  sendPage(exchange, {
    title: failure === undefined ? 'Sign in' : 'Could not sign in',
    status: failure?.status ?? 200,
    formTarget: redirectUri,
    content: html`
      <h1>Sign in</h1>
      <p class="quiet">to go on to ${client.displayName}</p>
      ${failure === undefined ? undefined : html`<p class="alarm" id="problem" role="alert">${failure.message}</p>`}
      <form method="post" action="sign-in?${query}">
        <input type="hidden" name="form" value="${token}" />
        <label for="email">Email address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          required
          maxlength="254"
          value="${failure?.email ?? loginHint ?? ''}"
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
      <footer class="quiet">Without a password, ask the operator of this service for one.</footer>
    `,
  });
}
