import type { OwnConsent } from '../../auth/grants/own-access.js';
import { passwordLengthMax, passwordLengthMin } from '../../auth/sign-in/password.js';
import { html } from '../../http/html.js';
import type { Html } from '../../http/html.js';
import type { Invitation } from '../../accounts/invitation.js';
import { formToken } from './browser.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { sendPage } from './page.js';
import { scopeWords } from './scope-descriptions.js';
import type { SignedIn } from './sign-in.js';

/** The forms of the page by path, with their success messages. */
export const accountForms = {
  'account-sessions': 'All other sessions were ended.',
  'account-programs': 'Access was revoked.',
  'account-invitations': 'Your response was saved.',
  'account-password': 'Your password was changed. All other sessions and applications must sign in again.',
} as const;

export type AccountForm = keyof typeof accountForms;

/** The result of a form. */
export type AccountNotice = { status: number } & (
  { message: string; isAccepted: boolean } | { problem: string; of: AccountForm }
);

interface OwnAccount {
  /** The number of browsers in which the user is signed in. */
  sessionCount: number;
  /** Whether the user can open the console, where the profile lists the sessions. */
  hasConsole: boolean;
  programs: OwnConsent[];
  invitations: Invitation[];
  hasPassword: boolean;
}

export function sendAccountPage(
  exchange: OauthExchange,
  { session, cookie }: SignedIn,
  { sessionCount, hasConsole, programs, invitations, hasPassword }: OwnAccount,
  notice: AccountNotice | undefined,
): void {
  const { name, displayName } = session.principal;
  const consoleUrl = `${exchange.services.publicUrl}/`;
  const token = (form: string) =>
    html`<input type="hidden" name="form" value="${formToken(exchange, form, cookie, '')}" />`;
  sendPage(exchange, {
    title: 'Your account',
    status: notice?.status ?? 200,
    content: html`
      <h1>Your account</h1>
      <p class="quiet">${displayName === null ? name : `${displayName} (${name})`}</p>
      ${noticeText(notice, consoleUrl)} ${invitationsPart(invitations, token)}
      <h2>Sessions</h2>
      <p>
        ${sessionCount > 1 ? `You are signed in to ${sessionCount} browsers.` : 'You are signed in to this browser only.'}
        ${hasConsole ? html`<a href="${consoleUrl}profile">View sessions</a>` : undefined}
      </p>
      ${sessionCount > 1 ? everywhereElse(token) : undefined}
      <h2>Authorized applications</h2>
      ${programs.length === 0 ? html`<p class="quiet">No authorized applications.</p>` : undefined}
      <ul>
        ${programs.map((each) => programItem(each, token))}
      </ul>
      <h2 id="password">Password</h2>
      ${hasPassword ? passwordForm(token, notice) : html`<p class="quiet">You do not sign in with a password.</p>`}
      <footer class="quiet">
        <form method="post" action="account-sign-out?">
          ${token('account-sign-out')}
          <button type="submit" class="plain">Sign out of this browser</button>
        </form>
      </footer>
    `,
  });
}

/**
 * The page of one invitation.
 *
 * @param invitation undefined if the signed-in user cannot answer it.
 */
export function sendInvitationPage(
  exchange: OauthExchange,
  { session, cookie }: SignedIn,
  invitation: Invitation | undefined,
  { query }: Destination,
): void {
  const signOut = formToken(exchange, 'account-sign-out', cookie, query);
  sendPage(exchange, {
    title: 'Invitation',
    status: invitation === undefined ? 404 : 200,
    content: html`
      <h1>Invitation</h1>
      <p class="quiet">You are signed in as ${session.principal.name}.</p>
      ${
        invitation === undefined
          ? html`<p class="alarm" role="alert">
              This invitation was answered or revoked, has expired, or is for another email address.
            </p>`
          : html`<ul>
              ${invitationItem(
                invitation,
                (form) => html`<input type="hidden" name="form" value="${formToken(exchange, form, cookie, '')}" />`,
              )}
            </ul>`
      }
      <p><a href="account">Your account</a></p>
      <footer class="quiet">
        <form method="post" action="account-sign-out?${query}">
          <input type="hidden" name="form" value="${signOut}" />
          <button type="submit" class="plain">Sign in as another user</button>
        </form>
      </footer>
    `,
  });
}

type Token = (form: string) => Html;

function noticeText(notice: AccountNotice | undefined, consoleUrl: string): Html | undefined {
  if (notice === undefined) return undefined;
  return 'message' in notice
    ? html`<p class="notice" role="status">
        ${notice.message} ${notice.isAccepted ? html`<a href="${consoleUrl}">Open console</a>` : undefined}
      </p>`
    : html`<p class="alarm" id="problem" role="alert">${notice.problem}</p>`;
}

function invitationsPart(invitations: Invitation[], token: Token): Html | undefined {
  if (invitations.length === 0) return undefined;
  return html`<h2>Invitations</h2>
    <ul>
      ${invitations.map((each) => invitationItem(each, token))}
    </ul>`;
}

function invitationItem({ id, account, workspace, role, invitedBy, expiresAt }: Invitation, token: Token): Html {
  const tenant =
    workspace === null
      ? `the account ${account.name}`
      : `the workspace ${workspace.name} of the account ${account.name}`;
  return html`<li>
    <p>
      ${invitedBy ?? 'The operator of this service'} invited you to ${tenant} with the role ${role}.
      <span class="quiet">Expires ${time(expiresAt)}.</span>
    </p>
    <form method="post" action="account-invitations?">
      ${token('account-invitations')}
      <input type="hidden" name="invitation" value="${id}" />
      <div class="buttons">
        <button type="submit" name="decision" value="accept" aria-label="Accept ${tenant}">Accept</button>
        <button type="submit" name="decision" value="decline" class="plain" aria-label="Decline ${tenant}">
          Decline
        </button>
      </div>
    </form>
  </li>`;
}

function everywhereElse(token: Token): Html {
  return html`<form method="post" action="account-sessions?">
    ${token('account-sessions')}
    <button type="submit" class="plain">Sign out everywhere else</button>
  </form>`;
}

function programItem({ clientId, displayName, place, scopes, givenAt, lastUsedAt }: OwnConsent, token: Token): Html {
  return html`<li>
    <p>
      <strong>${displayName}</strong> in ${place}<br />
      <span class="quiet">
        Authorized ${time(givenAt)}${lastUsedAt === undefined ? undefined : html`, last used ${time(lastUsedAt)}`}
      </span>
    </p>
    <details>
      <summary>Permissions in ${place}</summary>
      <ul>
        ${scopes.map((scope) => html`<li>${scopeWords(scope)}</li>`)}
      </ul>
    </details>
    <form method="post" action="account-programs?">
      ${token('account-programs')}
      <input type="hidden" name="client" value="${clientId}" />
      <button type="submit" class="plain" aria-label="Revoke access of ${displayName}, ${place}">Revoke</button>
    </form>
  </li>`;
}

function passwordForm(token: Token, notice: AccountNotice | undefined): Html {
  const isBroken = notice !== undefined && 'problem' in notice && notice.of === 'account-password';
  const broken = isBroken ? html` aria-describedby="problem" aria-invalid="true"` : undefined;
  return html`<form method="post" action="account-password?">
    ${token('account-password')}
    <label for="current-password">Current password</label>
    <input
      id="current-password"
      name="current-password"
      type="password"
      autocomplete="current-password"
      required
      maxlength="${String(passwordLengthMax)}"
      ${broken}
    />
    <label for="new-password">New password (at least ${String(passwordLengthMin)} characters)</label>
    <input
      id="new-password"
      name="new-password"
      type="password"
      autocomplete="new-password"
      required
      minlength="${String(passwordLengthMin)}"
      maxlength="${String(passwordLengthMax)}"
      ${broken}
    />
    <p class="quiet">Ends all other sessions and revokes authorized applications. API keys keep working.</p>
    <div class="buttons"><button type="submit">Change password</button></div>
  </form>`;
}

/** A time in UTC, to the minute. */
function time(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
