import type { OauthClient } from '../../auth/grants/oauth-client.js';
import type { Place } from '../../auth/grants/authorization.js';
import { isChangingScope } from '../../auth/scopes.js';
import { formToken } from './browser.js';
import { formAction } from './destination.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import { sendPage } from './page.js';
import { scopeWords } from './scope-words.js';
import type { SignedIn } from './sign-in.js';

/** What a user is asked to agree to. */
export interface ConsentQuestion {
  client: OauthClient;
  scopes: string[];
  destination: Destination;
  /** What else they need to know to decide. */
  note: Html;
  /** Whether it was asked before, and nothing was chosen. */
  isUnanswered?: boolean;
}

/** The page where a user says what a client may do, and where. */
export function sendConsentPage(
  exchange: OauthExchange,
  visitor: SignedIn & { places: Place[] },
  { client, scopes, destination, note, isUnanswered = false }: ConsentQuestion,
): void {
  const { session, cookie, places } = visitor;
  const { query, formTarget } = destination;
  const action = formAction(destination, 'consent');
  const problem = html`<p class="alarm" role="alert">Choose what it may do, or do not allow it.</p>`;
  sendPage(exchange, {
    title: `Let ${client.displayName} use your account?`,
    status: isUnanswered ? 400 : 200,
    formTargets: [formTarget],
    content: html`
      <h1>Let ${client.displayName} use your account?</h1>
      <p class="quiet">${note}</p>
      ${isUnanswered ? problem : undefined}
      <form method="post" action="${action}?${query}">
        <input type="hidden" name="form" value="${formToken(exchange, action, cookie, query)}" />
        <fieldset>
          <legend>It may, as far as your own roles allow:</legend>
          <div class="choices">${scopes.map(scopeChoice)}</div>
        </fieldset>
        <label for="place">Where it may do that</label>
        <select id="place" name="place">
          ${leastFirst(places).map(placeChoice)}
        </select>
        <div class="buttons">
          <button type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny" class="plain">Do not allow</button>
        </div>
      </form>
      ${signedInFooter(exchange, { session, cookie }, destination)}
    `,
  });
}

/** Who is signed in, and the way out. */
export function signedInFooter(exchange: OauthExchange, { session, cookie }: SignedIn, destination: Destination): Html {
  const { name, displayName } = session.principal;
  const action = formAction(destination, 'sign-out');
  const { query } = destination;
  return html`<footer class="quiet">
    Signed in as ${displayName === null ? name : `${displayName} (${name})`}.
    <form method="post" action="${action}?${query}">
      <input type="hidden" name="form" value="${formToken(exchange, action, cookie, query)}" />
      <button type="submit" class="plain">Sign out</button>
    </form>
  </footer>`;
}

/** What only reads is chosen already; whatever changes something, or is everything, the user chooses. */
function scopeChoice(scope: string): Html {
  const chosen = scope === 'admin' || isChangingScope(scope) ? undefined : html`checked`;
  return html`<label class="choice">
    <input type="checkbox" name="scope" value="${scope}" ${chosen} /> <span>${scopeWords(scope)}</span>
  </label>`;
}

/** The first one is chosen already: a workspace is less than an account. */
function leastFirst(places: Place[]): Place[] {
  return places.toSorted((one, other) => Number(one.workspaceId === null) - Number(other.workspaceId === null));
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
