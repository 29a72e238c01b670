import type { OauthClient } from '../../auth/grants/oauth-client.js';
import { signedInFooter } from './consent-page.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { sendPage } from './page.js';
import type { SignedIn } from './sign-in.js';

/** The page where a user enters a device code, with the error of the last attempt. */
export function sendDeviceCodePage(
  exchange: OauthExchange,
  signedIn: SignedIn,
  destination: Destination,
  failure?: { status: number; message: string; typed: string },
): void {
  const broken = failure === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  sendPage(exchange, {
    title: failure === undefined ? 'Connect an application or device' : 'Invalid code',
    status: failure?.status ?? 200,
    content: html`
      <h1>Connect an application or device</h1>
      <p class="quiet">Enter the code shown by the application or device.</p>
      ${failure === undefined ? undefined : html`<p class="alarm" id="problem" role="alert">${failure.message}</p>`}
      <form method="get" action="device">
        <label for="user_code">Code</label>
        <input
          id="user_code"
          name="user_code"
          type="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          required
          maxlength="20"
          value="${failure?.typed ?? ''}"
          ${broken}
        />
        <div class="buttons"><button type="submit">Continue</button></div>
      </form>
      ${signedInFooter(exchange, signedIn, destination)}
    `,
  });
}

/** Helps a user to recognize a phishing attempt with a foreign device code (RFC 8628, section 5.4). */
export function whereItIs(address: string, typed: string): Html {
  return html`Requested from the IP address ${address} with the code <strong>${typed.toUpperCase()}</strong>. Allow it
    only if you started it yourself: anyone who sends you a code may be trying to access your account.`;
}

export function sendDeviceDecidedPage(exchange: OauthExchange, client: OauthClient, isAllowed: boolean): void {
  const title = isAllowed ? 'Access granted' : 'Access denied';
  const sentence = isAllowed ? 'now has access and continues automatically.' : 'was not given access.';
  sendPage(exchange, {
    title,
    content: html`
      <h1>${title}</h1>
      <p role="status">${client.displayName} ${sentence}</p>
      <p class="quiet">You can close this page.</p>
    `,
  });
}
