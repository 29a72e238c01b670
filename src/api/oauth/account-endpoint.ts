// The account page of a user: consents, invitations, the password, and signing out everywhere else. Each form does one action and redirects
// to the page.
import { onlyValue } from '../../auth/grants/authorization-request.js';
import type { RequestContext } from '../../auth/context.js';
import { sessionContext } from '../../auth/session-context.js';
import { ApiError } from '../../errors.js';
import { globalId } from '../../pagination/global-id.js';
import { acceptInvitation, declineInvitation, listOwnInvitations } from '../../accounts/invitation-answer.js';
import {
  belongsToAccount,
  changeOwnPassword,
  endOwnSessions,
  hasOwnPassword,
  listOwnAuthorizations,
  listOwnSessions,
  revokeOwnAuthorization,
} from '../../accounts/self.js';
import { accountForms, sendAccountPage, sendInvitationPage } from './account-page.js';
import type { AccountForm, AccountNotice } from './account-page.js';
import { readForm } from './body.js';
import { isFormOf } from './browser.js';
import type { Destination } from './destination.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { sendStaleForm } from './page.js';
import { noteRefusedUser } from './denied-requests.js';
import { leaveForProvider } from './provider-sign-in.js';
import { beginSession, redirect, sessionOf, signIn, signOut } from './sign-in.js';
import type { SignedIn } from './sign-in.js';
import { sendSignInPage } from './sign-in-page.js';

/** The page, with a message about the last action; only one invitation if the URL names it. */
export async function answerAccount(exchange: OauthExchange): Promise<void> {
  const destination = destinationOf(exchange);
  const signedIn = await sessionOf(exchange);
  if (signedIn === undefined) return sendSignInPage(exchange, destination);
  const id = invitationOf(exchange);
  if (id !== undefined) {
    const pending = await listOwnInvitations(contextOf(exchange, signedIn));
    const invitation = pending.find((each) => globalId('Invitation', each.id) === id);
    return sendInvitationPage(exchange, signedIn, invitation, destination);
  }
  const query = new URLSearchParams(exchange.search);
  const done = query.get('done') ?? '';
  if (!isForm(done)) return showAccount(exchange, signedIn, undefined);
  const isAccepted = done === 'account-invitations' && query.get('decision') === 'accept';
  return showAccount(exchange, signedIn, { status: 200, message: accountForms[done], isAccepted });
}

export async function answerAccountSignIn(exchange: OauthExchange): Promise<void> {
  return signIn(exchange, await readForm(exchange.request), destinationOf(exchange));
}

export async function answerAccountSignOut(exchange: OauthExchange): Promise<void> {
  return signOut(exchange, await readForm(exchange.request), destinationOf(exchange));
}

export async function answerAccountProvider(exchange: OauthExchange): Promise<void> {
  return leaveForProvider(exchange, destinationOf(exchange));
}

/** The action of each form. Errors of the caller are thrown. */
const acts: Record<AccountForm, (ctx: RequestContext, form: URLSearchParams) => Promise<unknown>> = {
  'account-sessions': (ctx) => endOwnSessions(ctx, undefined),
  'account-programs': (ctx, form) => revokeOwnAuthorization(ctx, onlyValue(form, 'client') ?? ''),
  'account-invitations': (ctx, form) => {
    const id = onlyValue(form, 'invitation') ?? '';
    return onlyValue(form, 'decision') === 'accept' ? acceptInvitation(ctx, { id }) : declineInvitation(ctx, { id });
  },
  'account-password': (ctx, form) =>
    changeOwnPassword(ctx, {
      current: onlyValue(form, 'current-password') ?? '',
      next: onlyValue(form, 'new-password') ?? '',
    }),
};

function isForm(name: string): name is AccountForm {
  return Object.hasOwn(accountForms, name);
}

/** Handles the forms of the account page. A user whose session has ended signs in again. */
export function answerAccountForm(name: AccountForm): (exchange: OauthExchange) => Promise<void> {
  return async (exchange) => {
    const form = await readForm(exchange.request);
    if (!isFormOf(exchange, name, onlyValue(form, 'form') ?? null, '')) {
      return sendStaleForm(exchange, destinationOf(exchange));
    }
    const signedIn = await sessionOf(exchange);
    if (signedIn === undefined) return redirect(exchange, 'account?');
    const { principal } = signedIn.session;
    try {
      await acts[name](contextOf(exchange, signedIn), form);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      record(exchange, 'account_change_refused', { principal: principal.name, what: name, error: error.error });
      if (error.status === 403) noteRefusedUser(exchange, principal, name, error.message);
      for (const [header, value] of Object.entries(error.headers)) exchange.response.setHeader(header, value);
      return showAccount(exchange, signedIn, { status: error.status, problem: error.message, of: name });
    }
    record(exchange, 'account_changed', { principal: principal.name, what: name });
    // A new password ended the session of this browser, too.
    if (name === 'account-password') await beginSession(exchange, principal, { provider: signedIn.session.provider });
    const isAccepted = name === 'account-invitations' && onlyValue(form, 'decision') === 'accept';
    return redirect(exchange, `account?done=${name}${isAccepted ? '&decision=accept' : ''}`);
  };
}

async function showAccount(
  exchange: OauthExchange,
  signedIn: SignedIn,
  notice: AccountNotice | undefined,
): Promise<void> {
  const ctx = contextOf(exchange, signedIn);
  const { isByPassword } = exchange.services.signIn;
  const [sessions, hasConsole, programs, invitations, hasOne] = await Promise.all([
    listOwnSessions(ctx),
    belongsToAccount(ctx),
    listOwnAuthorizations(ctx),
    listOwnInvitations(ctx),
    hasOwnPassword(ctx),
  ]);
  const hasPassword = isByPassword && hasOne;
  const own = { sessionCount: sessions.length, hasConsole, programs, invitations, hasPassword };
  return sendAccountPage(exchange, signedIn, own, notice);
}

function contextOf({ services, visitor }: OauthExchange, { session }: SignedIn): RequestContext {
  return sessionContext(services, session, visitor);
}

/** Of the URL only the invitation counts. */
function destinationOf(exchange: OauthExchange): Destination {
  const invitation = invitationOf(exchange);
  return { page: 'account', query: invitation === undefined ? '' : new URLSearchParams({ invitation }).toString() };
}

/** The global id of the invitation that the URL names. */
function invitationOf({ search }: OauthExchange): string | undefined {
  return onlyValue(new URLSearchParams(search), 'invitation')?.slice(0, 100);
}
