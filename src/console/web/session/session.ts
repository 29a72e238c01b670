// Who is signed in. The access token lives in this page's memory alone. A reload, a new tab and the end of a token's
// quarter of an hour are all the same: the browser's session with the service, a cookie that no script can read, gives
// another token without a question.
import { makeProof } from './proof.js';
import type { Proof } from './proof.js';
import { settings } from './settings.js';

export type SessionState =
  | { kind: 'starting' }
  | { kind: 'signed-in' }
  /** By the user's own wish, or because the session ended: `reason` says which, for people. */
  | { kind: 'signed-out'; reason: string }
  /** The service was not reached, or refuses to let anybody in. */
  | { kind: 'failed'; reason: string };

interface Token {
  text: string;
  endsAtMs: number;
}

/** What the authorization endpoint answered (RFC 6749, section 4.1.2). */
interface Answer {
  code: string | null;
  error: string | null;
  description: string | null;
}

const renewBeforeMs = 60_000;
const pendingKey = 'console:sign-in';
const leftKey = 'console:signed-out';

const channel = new BroadcastChannel('console');
const listeners = new Set<() => void>();
let state: SessionState = { kind: 'starting' };
let token: Token | undefined;
let begin = () => {};
/** Over when it is known who is signed in: never on a page that leaves for the sign-in page. */
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

/** Begins: comes back from the sign-in page, or asks silently, or sends the user there. */
export async function startSession(): Promise<void> {
  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed-out') leave('You signed out in another tab.');
  });
  if (!isSecureContext) {
    setState({ kind: 'failed', reason: 'Signing in needs https, or this machine’s own address (localhost).' });
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
    setState({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

/** A token for the next request; undefined when nobody is signed in any more. */
export async function accessToken(isRefused = false): Promise<string | undefined> {
  await begun;
  if (state.kind !== 'signed-in') return undefined;
  if (!isRefused && token !== undefined && token.endsAtMs - Date.now() > renewBeforeMs) return token.text;
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

/** Leaves for the sign-in page, and comes back to where it was asked. */
export async function signIn(options: { chooseAccount?: boolean } = {}): Promise<void> {
  const proof = await makeProof();
  const returnTo = location.pathname + location.search + location.hash;
  sessionStorage.removeItem(leftKey);
  sessionStorage.setItem(pendingKey, JSON.stringify({ ...proof, returnTo: isCallback() ? '/' : returnTo }));
  location.assign(authorizeAddress(proof, options.chooseAccount === true ? { prompt: 'consent' } : {}));
}

/** Ends the token, the browser's session, and every other tab's. */
export async function signOut(): Promise<void> {
  const ending = token;
  leave('You are signed out.');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origin
  channel.postMessage('signed-out');
  if (ending === undefined) return;
  const body = new URLSearchParams({ token: ending.text, client_id: settings.clientId });
  await fetch(settings.revoke, { method: 'POST', body });
}

function leave(reason: string): void {
  token = undefined;
  sessionStorage.setItem(leftKey, 'yes');
  setState({ kind: 'signed-out', reason });
}

async function ask(): Promise<void> {
  const silent = await askSilently();
  if (silent !== undefined) return setState({ kind: 'signed-in' });
  await signIn();
}

async function renew(): Promise<string | undefined> {
  const text = await askSilently();
  if (text === undefined) {
    token = undefined;
    setState({ kind: 'signed-out', reason: 'Your session has ended.' });
  }
  return text;
}

/** @returns undefined when the user has to be asked. @throws when the service is not reached. */
async function askSilently(): Promise<string | undefined> {
  const proof = await makeProof();
  const headers = { accept: 'text/html' };
  const response = await fetch(authorizeAddress(proof, { prompt: 'none' }), { headers, cache: 'no-store' });
  const answer = answerIn(new URL(response.url), proof.state);
  if (answer === undefined) throw new Error('The service did not answer as it should. Try again in a moment.');
  return answer.code === null ? undefined : redeem(answer.code, proof.verifier);
}

async function comeBack(): Promise<void> {
  const address = new URL(location.href);
  const pending: unknown = JSON.parse(sessionStorage.getItem(pendingKey) ?? 'null');
  sessionStorage.removeItem(pendingKey);
  const asked = isPending(pending) ? pending : undefined;
  history.replaceState(null, '', asked?.returnTo ?? '/');
  const answer = asked && answerIn(address, asked.state);
  // Somebody else's answer, or one that was used before: begin again.
  if (asked === undefined || answer === undefined) return ask();
  if (answer.code === null) {
    return setState({ kind: 'signed-out', reason: answer.description ?? 'You are not signed in.' });
  }
  await redeem(answer.code, asked.verifier);
  setState({ kind: 'signed-in' });
}

function answerIn({ searchParams }: URL, sentState: string): Answer | undefined {
  if (searchParams.get('state') !== sentState || searchParams.get('iss') !== settings.issuer) return undefined;
  const [code, error] = [searchParams.get('code'), searchParams.get('error')];
  return { code, error, description: searchParams.get('error_description') };
}

async function redeem(code: string, verifier: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    code,
    code_verifier: verifier,
  });
  const response = await fetch(settings.token, { method: 'POST', body });
  const answer: { access_token: string; expires_in: number; error_description?: string } = await response.json();
  if (!response.ok) throw new Error(answer.error_description ?? 'Signing in failed.');
  token = { text: answer.access_token, endsAtMs: Date.now() + answer.expires_in * 1000 };
  return token.text;
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

function isCallback(): boolean {
  return location.href.startsWith(settings.redirectUri);
}

function isPending(value: unknown): value is Proof & { returnTo: string } {
  return typeof value === 'object' && value !== null && 'verifier' in value && 'returnTo' in value;
}

function setState(next: SessionState): void {
  state = next;
  begin();
  for (const listener of listeners) listener();
}
