import { iconSvg } from './graphiql-icon.js';

/** The OAuth client and endpoints for signing in to the GraphiQL page. */
export interface GraphiqlSignIn {
  clientId: string;
  issuer: string;
  /** The URL of the page, as registered. */
  redirectUri: string;
  scope: string;
  /** Endpoints, relative to the page. */
  authorize: string;
  token: string;
  revoke: string;
}

/** The style of the sign-in bar above GraphiQL. */
export const signInStyle = `
body { display: flex; flex-direction: column; height: 100vh; margin: 0; }
#root { flex: 1; min-height: 0; height: auto; }
#root .graphiql-container { height: 100%; }
#root .graphiql-logo { display: none; }
#sign-in { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; min-height: 48px; padding: .25rem 1.5rem;
  border-bottom: 1px solid #e0e1e6; background: #fcfcfd; color: #1c2024;
  font: 13px/20px 'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
#sign-in a { display: flex; gap: .5rem; align-items: center; color: inherit; text-decoration: none; }
#sign-in a:hover { text-decoration: underline; }
#sign-in svg { width: 20px; height: 20px; }
#sign-in strong { font-weight: 600; }
#sign-in [role=status] { margin-left: auto; color: #60646c; }
#sign-in button { min-height: 28px; padding: 0 10px; border: 1px solid #cdced6; border-radius: 6px;
  background: #fcfcfd; color: inherit; font: inherit; cursor: pointer; }
#sign-in :focus-visible { outline: 2px solid #3e63dd; outline-offset: 1px; }
@media (prefers-color-scheme: dark) {
  #sign-in { border-color: #2e3135; background: #111113; color: #edeef0; }
  #sign-in [role=status] { color: #b0b4ba; }
  #sign-in button { border-color: #43484e; background: #111113; }
}
`;

/** The bar above GraphiQL, with a link to the console and the name of the user. */
export const signInBar =
  `<div id="sign-in"><a href="./">${iconSvg} Console</a><span aria-hidden="true">›</span><strong>API explorer</strong>` +
  '<span role="status"></span><button type="button" hidden>Sign in</button></div>';

/**
 * The script of the sign-in bar: authorization code with PKCE, as a public client. Tokens are kept only in memory;
 * sessionStorage holds the verifier during the redirect. It runs before GraphiQL, whose requests wait until the sign-in
 * state is known.
 */
export const signInScript = `'use strict';
(() => {
  const { signIn, endpoint } = JSON.parse(document.getElementById('settings').textContent);
  const status = document.querySelector('#sign-in [role=status]');
  const button = document.querySelector('#sign-in button');
  const storageKey = 'graphiql:sign-in';
  const leftKey = 'graphiql:left';
  // The channel of the console: signing out of one page signs out of all tabs.
  const channel = new BroadcastChannel('console');
  const send = self.fetch.bind(self);
  let tokens;

  const base64url = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

  async function begin() {
    if (location.origin + location.pathname !== signIn.redirectUri) {
      location.assign(signIn.redirectUri + '#sign-in');
      return;
    }
    sessionStorage.removeItem(leftKey);
    const sent = { verifier: random(), state: random() };
    sessionStorage.setItem(storageKey, JSON.stringify(sent));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sent.verifier));
    location.assign(signIn.authorize + '?' + new URLSearchParams({
      response_type: 'code',
      client_id: signIn.clientId,
      redirect_uri: signIn.redirectUri,
      scope: signIn.scope,
      state: sent.state,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    }));
  }

  async function finish() {
    const answer = new URLSearchParams(location.search);
    if (!answer.has('state')) return;
    history.replaceState(null, '', location.pathname);
    const sent = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}');
    sessionStorage.removeItem(storageKey);
    if (answer.get('state') !== sent.state || answer.get('iss') !== signIn.issuer) {
      throw new Error('Sign-in failed: invalid state.');
    }
    if (answer.has('error')) throw new Error('Not signed in: ' + answer.get('error_description'));
    await ask({
      grant_type: 'authorization_code',
      code: answer.get('code'),
      redirect_uri: signIn.redirectUri,
      code_verifier: sent.verifier,
    });
  }

  /** Signs in with the session of the browser, if there is one and nobody has signed out here. */
  async function askSilently() {
    if (tokens !== undefined || sessionStorage.getItem(leftKey) !== null || crypto.subtle === undefined) return;
    if (location.origin + location.pathname !== signIn.redirectUri) return;
    const sent = { verifier: random(), state: random() };
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(sent.verifier));
    const response = await send(signIn.authorize + '?' + new URLSearchParams({
      response_type: 'code',
      client_id: signIn.clientId,
      redirect_uri: signIn.redirectUri,
      scope: signIn.scope,
      state: sent.state,
      code_challenge: base64url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
      prompt: 'none',
    }), { headers: { accept: 'text/html' }, cache: 'no-store' });
    const answer = new URL(response.url).searchParams;
    if (answer.get('state') !== sent.state || answer.get('iss') !== signIn.issuer || !answer.has('code')) return;
    await ask({
      grant_type: 'authorization_code',
      code: answer.get('code'),
      redirect_uri: signIn.redirectUri,
      code_verifier: sent.verifier,
    });
  }

  async function ask(grant) {
    const body = new URLSearchParams({ ...grant, client_id: signIn.clientId });
    const response = await send(signIn.token, { method: 'POST', body });
    const answer = await response.json();
    if (!response.ok) {
      tokens = undefined;
      throw new Error('Sign-in failed: ' + answer.error_description);
    }
    tokens = { ...answer, endsAtMs: Date.now() + answer.expires_in * 1000 };
  }

  let refreshing;
  async function accessToken() {
    if (tokens !== undefined && tokens.endsAtMs - Date.now() < 30000) {
      refreshing ??= ask({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
        .catch(show)
        .finally(() => { refreshing = undefined; });
      await refreshing;
    }
    return tokens?.access_token;
  }

  /** Ends the session of this browser with everything that was authorized in it, in all tabs. */
  async function end() {
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id: signIn.clientId });
    leave('You are signed out.');
    channel.postMessage('signed-out');
    const isEnded = await send(signIn.revoke, { method: 'POST', body, keepalive: true }).then(({ ok }) => ok, () => false);
    if (!isEnded) {
      leave('The service did not respond, so you are still signed in to this browser. Sign in and sign out again.');
    }
  }

  function leave(reason) {
    tokens = undefined;
    sessionStorage.setItem(leftKey, 'yes');
    show({ message: reason });
  }

  channel.addEventListener('message', ({ data }) => {
    if (data === 'signed-out' && tokens !== undefined) leave('You signed out in another tab.');
  });

  async function show(problem) {
    button.textContent = tokens === undefined ? 'Sign in' : 'Sign out';
    button.hidden = crypto.subtle === undefined;
    status.textContent = problem?.message ?? '';
    if (tokens === undefined) return;
    const query = JSON.stringify({ query: '{ viewer { name } }' });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + tokens.access_token };
    const answer = await (await send(endpoint, { method: 'POST', headers, body: query })).json();
    const name = answer.data?.viewer?.name ?? '';
    if (tokens === undefined) return;
    status.textContent = 'Signed in as ' + name + '. Authorization headers are ignored.';
  }

  button.addEventListener('click', () => (tokens === undefined ? begin() : end()).catch(show));
  const ready = finish().then(askSilently).then(() => show(), show);
  const isEndpoint = (address) => new URL(address, location.href).pathname === new URL(endpoint, location.href).pathname;

  self.fetch = async (input, init = {}) => {
    const address = typeof input === 'string' || input instanceof URL ? input : input.url;
    if (!isEndpoint(address)) return send(input, init);
    await ready;
    const token = await accessToken();
    if (token === undefined) return send(input, init);
    const headers = new Headers(init.headers ?? input.headers);
    headers.set('authorization', 'Bearer ' + token);
    return send(input, { ...init, headers });
  };
  if (location.hash === '#sign-in') void begin();
})();
`;
