import type { AuthorizationRequest } from '../access/oauth/authorization-request.js';
import type { Place } from '../access/oauth/authorization.js';
import type { Session } from '../access/oauth/session.js';
import { formToken } from './browser.js';
import type { OauthExchange } from './exchange.js';
import { html } from './html.js';
import type { Html } from './html.js';
import { sendPage } from './page.js';
import { scopeWords } from './scope-words.js';

/** The page where a user says what a client may do, and where. */
export function sendConsentPage(
  exchange: OauthExchange,
  authorization: AuthorizationRequest,
  visitor: { session: Session; cookie: string; places: Place[] },
  query: string,
): void {
  const { client, scopes, redirectUri } = authorization;
  const { session, cookie, places } = visitor;
  const { name, displayName } = session.principal;
  sendPage(exchange, {
    title: `Let ${client.displayName} use your account?`,
    formTarget: redirectUri,
    content: html`
      <h1>Let ${client.displayName} use your account?</h1>
      <p class="quiet">Its answer goes to ${addressOf(redirectUri)}.</p>
      <form method="post" action="consent?${query}">
        <input type="hidden" name="form" value="${formToken(exchange, 'consent', cookie, query)}" />
        <fieldset>
          <legend>It may, as far as your own roles allow:</legend>
          <div class="choices">${scopes.map(scopeChoice)}</div>
        </fieldset>
        <label for="place">Where it may do that</label>
        <select id="place" name="place">
          ${places.map(placeChoice)}
        </select>
        <div class="buttons">
          <button type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny" class="plain">Do not allow</button>
        </div>
      </form>
      <footer class="quiet">
        Signed in as ${displayName === null ? name : `${displayName} (${name})`}.
        <form method="post" action="sign-out?${query}">
          <input type="hidden" name="form" value="${formToken(exchange, 'sign-out', cookie, query)}" />
          <button type="submit" class="plain">Sign out</button>
        </form>
      </footer>
    `,
  });
}

function scopeChoice(scope: string): Html {
  return html`<label class="choice">
    <input type="checkbox" name="scope" value="${scope}" checked /> <span>${scopeWords(scope)}</span>
  </label>`;
}

function placeChoice(place: Place): Html {
  const { accountName, workspaceName } = place;
  const text =
    workspaceName === undefined ? `All of ${accountName}` : `${accountName}: workspace ${workspaceName} only`;
  return html`<option value="${placeValue(place)}">${text}</option>`;
}

/** A place as its choice is sent. */
export function placeValue({ accountId, workspaceId }: Pick<Place, 'accountId' | 'workspaceId'>): string {
  return workspaceId === null ? accountId : `${accountId}/${workspaceId}`;
}

/** What of an address tells a person where it is. */
function addressOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return host === '' ? `a program on this device (${protocol})` : host;
}
