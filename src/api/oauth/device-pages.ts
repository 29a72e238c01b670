import type { OauthClient } from '../../auth/grants/oauth-client.js';
import { signedInFooter } from './consent-page.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { sendPage } from './page.js';
import type { SignedIn } from './sign-in.js';

/** The page where a user types the code that a program shows, and what was wrong with the one before. */
export function sendDeviceCodePage(
  exchange: OauthExchange,
  signedIn: SignedIn,
  destination: Destination,
  failure?: { status: number; message: string; typed: string },
): void {
  const broken = failure === undefined ? undefined : html` aria-describedby="problem" aria-invalid="true"`;
  sendPage(exchange, {
    title: failure === undefined ? 'Connect a program or device' : 'The code was not taken',
    status: failure?.status ?? 200,
    content: html`
      <h1>Connect a program or device</h1>
      <p class="quiet">Type the code that it shows.</p>
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
        <div class="buttons"><button type="submit">Go on</button></div>
      </form>
      ${signedInFooter(exchange, signedIn, destination)}
    `,
  });
}

/** What tells a user their own program from that of somebody who talks them into typing a code (RFC 8628, section 5.4). */
export function whereItIs(address: string, typed: string): Html {
  return html`It is at the network address ${address}, and shows the code <strong>${typed.toUpperCase()}</strong>. Allow
    it only when you started it yourself just now: whoever gave you a code that you did not ask for wants your account.`;
}

export function sendDeviceDecidedPage(exchange: OauthExchange, client: OauthClient, isAllowed: boolean): void {
  const title = isAllowed ? 'You can go back now' : 'Nothing was allowed';
  const sentence = isAllowed ? 'has what it asked for, and goes on by itself.' : 'gets nothing.';
  sendPage(exchange, {
    title,
    content: html`
      <h1>${title}</h1>
      <p role="status">${client.displayName} ${sentence}</p>
      <p class="quiet">You can close this page.</p>
    `,
  });
}
