// The session of the user. The access token is kept only in memory. After a reload, in a new tab and when a token expires
// (15 minutes), the session cookie, which scripts cannot read, provides a new token silently.
import { fetchInTime, isTimedOut, timedOutText } from '../api/fetch-in-time.js';
import { isPageHeld, onPageReleased } from '../api/page-hold.js';
import { makeProof } from './proof.js';
import type { Proof } from './proof.js';
import { settings } from './settings.js';
import { userNameOf } from './user-name.js';

export type SessionState =
  | { kind: 'starting' }
  | { kind: 'signed-in' }
  /**
   * The session ended, or another user signed in, while a dialog with a form is open. Requests wait until the user who opened
   * the form has signed in again in another tab. `reason` is shown.
   */
  | { kind: 'paused'; reason: string; isOtherUser: boolean }
  /** The user signed out or the session ended. `reason` is shown. */
  | { kind: 'signed-out'; reason: string }
  /** The user is signed in and may not use the console, such as without an account. */
  | { kind: 'denied'; reason: string }
  /** The service was not reachable or rejected the sign-in. */
  | { kind: 'failed'; reason: string };

interface Token {
  text: string;
  endsAtMs: number;
  /** The user and the account. */
  owner: string;
}

/** The response of the authorization endpoint (RFC 6749, section 4.1.2). */
interface Answer {
  code: string | null;
  error: string | null;
  description: string | null;
}

const renewBeforeMs = 60_000;
const pendingKey = 'console:sign-in';
const leftKey = 'console:signed-out';

const endedText = 'Your session has ended.';
/** The user is signed in, and is no longer a member of the account, or has revoked the access of the console. */
const accessEndedText = 'Your access to this account has ended.';
const signedOutText = 'You signed out in another tab.';

const channel = new BroadcastChannel('console');
const listeners = new Set<() => void>();
let state: SessionState = { kind: 'starting' };
let token: Token | undefined;
let begin = () => {};
/** Resolves once the session state is known; never on a page that redirects to the sign-in page. */
const begun = new Promise<void>((resolve) => {
  begin = resolve;
});
let renewing: Promise<string | undefined> | undefined;

export function sessionState(): SessionState {
  return state;
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts the session: completes a sign-in, renews silently, or redirects to the sign-in page. */
export async function startSession(): Promise<void> {
  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed-out') {
      if (isPageHeld()) setState({ kind: 'paused', reason: signedOutText, isOtherUser: false });
      else leave(signedOutText);
    }
    if (data === 'signed-in' && (state.kind === 'paused' || isPageHeld())) void resume();
  });
  onPageReleased(() => {
    if (state.kind !== 'paused') return;
    const { reason, isOtherUser } = state;
    token = undefined;
    setState({ kind: 'signed-out', reason });
    if (isOtherUser) void signIn();
  });
  if (!isSecureContext) {
    setState({ kind: 'failed', reason: 'Sign-in requires HTTPS or localhost.' });
    return;
  }
  if (location.origin !== new URL(settings.publicUrl).origin) {
    location.replace(new URL(settings.publicUrl).origin + location.pathname + location.search + location.hash);
    return;
  }
  try {
    if (location.href.startsWith(`${settings.redirectUri}?`)) await comeBack();
    else if (sessionStorage.getItem(leftKey) === null) await ask();
    else setState({ kind: 'signed-out', reason: 'You are signed out.' });
  } catch (error) {
    setState({ kind: 'failed', reason: reasonOf(error) });
  }
}

/** A token for the next request; undefined if the session has ended. */
export async function accessToken(isRefused = false): Promise<string | undefined> {
  await begun;
  await unpaused();
  if (state.kind !== 'signed-in') return undefined;
  if (!isRefused && token !== undefined && token.endsAtMs - Date.now() > renewBeforeMs) return token.text;
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  const text = await renewing;
  return sessionState().kind === 'paused' ? accessToken() : text;
}

/** Redirects to the sign-in page, which returns to the current URL. */
export async function signIn(options: { chooseAccount?: boolean } = {}): Promise<void> {
  const proof = await makeProof();
  const returnTo = location.pathname + location.search + location.hash;
  sessionStorage.removeItem(leftKey);
  sessionStorage.setItem(pendingKey, JSON.stringify({ ...proof, returnTo: isCallback() ? '/' : returnTo }));
  location.assign(authorizeAddress(proof, options.chooseAccount === true ? { prompt: 'consent' } : {}));
}

/** Ends the session of this browser with everything that was authorized in it, in all tabs. */
export async function signOut(): Promise<void> {
  // An expired token, or none, ends the session too: the service knows it by its cookie.
  const ending = token?.text ?? 'none';
  leave('You are signed out.');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  channel.postMessage('signed-out');
  const body = new URLSearchParams({ token: ending, client_id: settings.clientId });
  const isEnded = await fetchInTime(settings.revoke, { method: 'POST', body, keepalive: true }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isEnded)
    leave('The service did not respond, so you are still signed in to this browser. Sign in and sign out again.');
}

function leave(reason: string): void {
  token = undefined;
  sessionStorage.setItem(leftKey, 'yes');
  setState({ kind: 'signed-out', reason });
}

async function ask(): Promise<void> {
  const answer = await askSilently();
  if (answer.token === undefined) return signIn();
  token = answer.token;
  setState({ kind: 'signed-in' });
}

async function renew(): Promise<string | undefined> {
  const { token: next, reason: refused } = await askSilently();
  // The user signed out in the meantime.
  if (state.kind !== 'signed-in' && state.kind !== 'paused') return undefined;
  if (next !== undefined && next.owner === token?.owner) {
    token = next;
    setState({ kind: 'signed-in' });
    return token.text;
  }
  if (isPageHeld()) {
    // The token stays: its owner is the only user who can continue with the form.
    const reason = next === undefined ? refused : `You are signed in as ${await userNameOf(next.text)} now.`;
    if (isPageHeld()) {
      setState({ kind: 'paused', reason, isOtherUser: next !== undefined });
      return undefined;
    }
  }
  token = undefined;
  // The page still shows the data of the former user. Signing in reloads it.
  const reason = next === undefined ? refused : 'Another user or account signed in to this browser.';
  setState({ kind: 'signed-out', reason });
  return undefined;
}

/** Continues the session if the same user has signed in again, or else pauses it. Without a response, it stays as it is. */
async function resume(): Promise<void> {
  await renew().catch(() => undefined);
}

/** Resolves once the session is not paused. */
async function unpaused(): Promise<void> {
  if (state.kind !== 'paused') return;
  await new Promise<void>((resolve) => {
    const stop = onSessionChange(() => {
      if (state.kind === 'paused') return;
      stop();
      resolve();
    });
  });
}

/** @returns a token, or the reason why the user must sign in. @throws if the service is not reachable. */
async function askSilently(): Promise<{ token: Token; reason?: undefined } | { token?: undefined; reason: string }> {
  const proof = await makeProof();
  const headers = { accept: 'text/html' };
  const response = await fetchInTime(authorizeAddress(proof, { prompt: 'none' }), { headers, cache: 'no-store' });
  const answer = answerIn(new URL(response.url), proof.state);
  if (answer === undefined) throw new Error('Unexpected response from the service. Try again later.');
  if (answer.code === null) return { reason: answer.error === 'consent_required' ? accessEndedText : endedText };
  return { token: await redeem(answer.code, proof.verifier) };
}

async function comeBack(): Promise<void> {
  const address = new URL(location.href);
  const pending: unknown = JSON.parse(sessionStorage.getItem(pendingKey) ?? 'null');
  sessionStorage.removeItem(pendingKey);
  const request = isPending(pending) ? pending : undefined;
  history.replaceState(null, '', request?.returnTo ?? '/');
  const answer = request && answerIn(address, request.state);
  // Not the response to this page's request, or one that was used before: start again.
  if (request === undefined || answer === undefined) return ask();
  if (answer.code === null) {
    const reason = answer.description ?? 'You are not signed in.';
    // Another sign-in would end the same way.
    return setState({ kind: answer.error === 'access_denied' ? 'denied' : 'signed-out', reason });
  }
  token = await redeem(answer.code, request.verifier);
  setState({ kind: 'signed-in' });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  channel.postMessage('signed-in');
}

function answerIn({ searchParams }: URL, sentState: string): Answer | undefined {
  if (searchParams.get('state') !== sentState || searchParams.get('iss') !== settings.issuer) return undefined;
  const [code, error] = [searchParams.get('code'), searchParams.get('error')];
  return { code, error, description: searchParams.get('error_description') };
}

async function redeem(code: string, verifier: string): Promise<Token> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    code,
    code_verifier: verifier,
  });
  const response = await fetchInTime(settings.token, { method: 'POST', body });
  const answer: { access_token: string; expires_in: number; error_description?: string } = await response.json();
  if (!response.ok) throw new Error(answer.error_description ?? 'Sign-in failed.');
  const text = answer.access_token;
  return { text, endsAtMs: Date.now() + answer.expires_in * 1000, owner: ownerOf(text) };
}

/** The user and the account of an access token (RFC 9068). */
function ownerOf(text: string): string {
  const [, payload = ''] = text.split('.');
  const claims: { sub: string; account: string } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return `${claims.sub} ${claims.account}`;
}

function authorizeAddress({ state, challenge }: Proof, more: Record<string, string>): string {
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  });
  return `${settings.authorize}?${search}`;
}

/** Why the sign-in failed. The browser has its own words for a connection that fails. */
function reasonOf(error: unknown): string {
  if (isTimedOut(error)) return timedOutText;
  if (error instanceof TypeError) return 'The service cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}

function isCallback(): boolean {
  return location.href.startsWith(settings.redirectUri);
}

function isPending(value: unknown): value is Proof & { returnTo: string } {
  return typeof value === 'object' && value !== null && 'verifier' in value && 'returnTo' in value;
}

function setState(next: SessionState): void {
  if (next.kind === 'signed-in' && state.kind === 'signed-in') return;
  state = next;
  begin();
  for (const listener of listeners) listener();
}
