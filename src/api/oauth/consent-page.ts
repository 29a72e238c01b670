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
import { scopeWords } from './scope-descriptions.js';
import type { SignedIn } from './sign-in.js';

/** The content of the consent page. */
export interface ConsentQuestion {
  client: OauthClient;
  scopes: string[];
  destination: Destination;
  /** Further information for the decision. */
  note: Html;
  /** Whether the form was sent without a selected scope. */
  isUnanswered?: boolean;
}

/** The page where a user grants a client permissions for an account or workspace. */
export function sendConsentPage(
  exchange: OauthExchange,
  visitor: SignedIn & { tenants: Place[] },
  { client, scopes, destination, note, isUnanswered = false }: ConsentQuestion,
): void {
  const { session, cookie, tenants: places } = visitor;
  const { query, formTarget } = destination;
  const action = formAction(destination, 'consent');
  const problem = html`<p class="alarm" role="alert">Select at least one permission, or deny access.</p>`;
  const warning = html`<p class="alarm">
    This application registered itself, and nobody verified its name. Allow access only if you started this sign-in in
    an application that you trust.
  </p>`;
  sendPage(exchange, {
    title: `Let ${client.displayName} use your account?`,
    status: isUnanswered ? 400 : 200,
    formTargets: [formTarget],
    content: html`
      <h1>Let ${client.displayName} use your account?</h1>
      <p class="quiet">${note}</p>
      ${client.selfRegistered ? warning : undefined} ${isUnanswered ? problem : undefined}
      <form method="post" action="${action}?${query}">
        <input type="hidden" name="form" value="${formToken(exchange, action, cookie, query)}" />
        <fieldset>
          <legend>Permissions (limited by your own roles)</legend>
          <div class="choices">${scopes.map(scopeChoice)}</div>
        </fieldset>
        <label for="place">Account or workspace</label>
        <select id="place" name="place">
          ${leastFirst(places).map(placeChoice)}
        </select>
        <div class="buttons">
          <button type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny" class="plain">Deny</button>
        </div>
      </form>
      ${signedInFooter(exchange, { session, cookie }, destination)}
    `,
  });
}

/** The signed-in user, with a sign-out button. */
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

/** Read scopes are preselected. Scopes that change data, and full access, are not. */
function scopeChoice(scope: string): Html {
  const chosen = scope === 'admin' || isChangingScope(scope) ? undefined : html`checked`;
  return html`<label class="choice">
    <input type="checkbox" name="scope" value="${scope}" ${chosen} /> <span>${scopeWords(scope)}</span>
  </label>`;
}

/** Workspaces first, so that the preselected option grants the least access. */
function leastFirst(tenants: Place[]): Place[] {
  return tenants.toSorted((one, other) => Number(one.workspaceId === null) - Number(other.workspaceId === null));
}

function placeChoice(tenant: Place): Html {
  const { accountName, workspaceName } = tenant;
  const text =
    workspaceName === undefined ? `${accountName}: all workspaces` : `${accountName}: only workspace ${workspaceName}`;
  return html`<option value="${placeValue(tenant)}">${text}</option>`;
}

/** The form value of an account or workspace. */
export function placeValue({ accountId, workspaceId }: Pick<Place, 'accountId' | 'workspaceId'>): string {
  return workspaceId === null ? accountId : `${accountId}/${workspaceId}`;
}
