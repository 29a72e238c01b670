// A user with a browser without scripts: follows redirects, keeps cookies, fills in forms.
import { createHash, randomBytes } from 'node:crypto';
import { insertClient } from '../../../src/auth/stored-client.js';
import type { ClientInput } from '../../../src/auth/stored-client.js';
import { setPrincipalDisabled } from '../../../src/accounts/user-changes.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { setPassword } from '../../set-password.js';
import type { StoredCredential } from '../../../src/auth/caller-access.js';
import type { Answer, Tenant, TestApp } from '../../harness.js';

export const password = 'correct horse battery staple';
export const callback = 'https://dashboard.example.com/callback';

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Where a redirect leads; empty for a page. */
  location: string;
}

export class Visitor {
  readonly app: TestApp;
  readonly cookies = new Map<string, string>();
  address = '';

  constructor(app: TestApp) {
    this.app = app;
  }

  /** A visitor of the same browser in another state. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async open(path: string): Promise<Page> {
    return this.#send(path, {});
  }

  /** Submits a form of a page with its fields and the typed values. */
  async submit(page: Page, action: string, typed: [string, string][]): Promise<Page> {
    const form = formOf(page, action);
    return this.post(form.path, [...form.hidden, ...typed]);
  }

  async post(path: string, fields: [string, string][], headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** Signs in where the authorization request asks for it, and gives the page after that. */
  async signIn(page: Page, email: string, typed = password, action = 'sign-in'): Promise<Page> {
    const answer = await this.submit(page, action, [
      ['email', email],
      ['password', typed],
    ]);
    return answer.status === 303 ? this.open(answer.location) : answer;
  }

  /** Consents with every scope on the page, or the named ones, and returns the redirect. */
  async allow(page: Page, choice: { scopes?: string[]; place?: string } = {}, action = 'consent'): Promise<Page> {
    const offered = [...page.text.matchAll(/name="scope"\s+value="([^"]+)"/g)].map(([, scope = '']) => scope);
    const places = [...page.text.matchAll(/<option value="([^"]+)"/g)].map(([, place = '']) => place);
    return this.submit(page, action, [
      ...(choice.scopes ?? offered).map((scope): [string, string] => ['scope', scope]),
      ['place', choice.place ?? places[0] ?? ''],
      ['decision', 'allow'],
    ]);
  }

  async #send(path: string, init: RequestInit): Promise<Page> {
    const url = new URL(
      path.replace(/^[a-z-]+(?:\?|$)/, (name) => `/v0/oauth/${name}`),
      this.app.origin,
    );
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set('cookie', this.cookie);
    if (this.address !== '') headers.set('x-forwarded-for', this.address);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = response.headers.get('location') ?? '';
    return { status: response.status, headers: response.headers, text: await response.text(), location };
  }
}

/** The address of a form, and its hidden fields. */
export function formOf(page: Page, action: string): { path: string; hidden: [string, string][] } {
  const forms = [...page.text.matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)];
  const [, path = '', content = ''] = forms.find(([, each = '']) => each.startsWith(`${action}?`)) ?? [];
  if (path === '') throw new Error(`the page has no form ${action}: ${page.status} ${page.text.slice(-600)}`);
  const hidden = [...content.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)];
  return { path: unescaped(path), hidden: hidden.map(([, name = '', value = '']) => [name, unescaped(value)]) };
}

export function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

export function createVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address of an authorization request. Parameters replace the defaults; undefined omits one. */
export function authorizeAddress(parameters: Record<string, string | undefined>): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: 'dashboard',
    redirect_uri: callback,
    scope: 'agents:list',
    state: 'the-state',
    code_challenge: createVerifier().challenge,
    code_challenge_method: 'S256',
    ...parameters,
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) search.set(name, value);
  return `authorize?${search}`;
}

/** One request to an endpoint that clients call; parameters are form-encoded. */
export async function callEndpoint(
  app: TestApp,
  endpoint: 'token' | 'revoke' | 'introspect' | 'device_authorization',
  parameters: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${app.origin}/v0/oauth/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString(),
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

export interface RegisteredClient {
  id: string;
  secret: string;
  /** As parameters of a body. */
  credentials: { client_id: string; client_secret: string };
}

/** Registers a client with all permissions. Fields replace the defaults. */
export async function registerClient(app: TestApp, more: Partial<ClientInput> = {}): Promise<RegisteredClient> {
  const input: ClientInput = {
    id: 'dashboard',
    displayName: 'The dashboard',
    isPublic: false,
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [callback],
    scope: 'admin',
    owner: undefined,
    ...more,
  };
  const { secret = '' } = await insertClient(app.services.db, input, app.clock.now);
  return { id: input.id, secret, credentials: { client_id: input.id, client_secret: secret } };
}

/** A client that acts for itself, as the owner of a tenant unless said otherwise. */
export async function registerService(
  app: TestApp,
  owner: StoredCredential,
  more: Partial<ClientInput> = {},
): Promise<RegisteredClient> {
  return registerClient(app, { id: 'ci', grantTypes: ['client_credentials'], redirectUris: [], owner, ...more });
}

export async function givePassword(app: TestApp, account: string): Promise<string> {
  const email = `owner@${account}.example.com`;
  await setPassword(app.services.db, email, password, app.clock.now);
  return email;
}

/** Walks through sign-in and consent to a code, with its verifier. */
export async function obtainCode(
  app: TestApp,
  email: string,
  parameters: Record<string, string | undefined> = {},
  choice: { scopes?: string[]; place?: string } = {},
): Promise<{ code: string; verifier: string; visitor: Visitor }> {
  const visitor = new Visitor(app);
  const { verifier, challenge } = createVerifier();
  const page = await visitor.open(authorizeAddress({ code_challenge: challenge, ...parameters }));
  const next = await visitor.signIn(page, email);
  const answer = next.status === 303 ? next : await visitor.allow(next, choice);
  const code = URL.parse(answer.location)?.searchParams.get('code');
  if (!code) throw new Error(`no code: ${answer.status} ${answer.location} ${answer.text.slice(-400)}`);
  return { code, verifier, visitor };
}

/** Trades a code for tokens. */
export async function redeem(
  app: TestApp,
  client: RegisteredClient,
  given: { code: string; verifier: string },
  more: Record<string, string> = {},
): Promise<Answer> {
  return callEndpoint(app, 'token', {
    grant_type: 'authorization_code',
    code: given.code,
    redirect_uri: callback,
    code_verifier: given.verifier,
    ...client.credentials,
    ...more,
  });
}

export function ownerOf(tenant: Tenant): StoredCredential {
  return { principalId: tenant.principalId, accountId: tenant.accountId, workspaceId: null };
}

/** Disables or enables a user, as the operator does. */
export async function setDisabled({ services }: TestApp, name: string, isDisabled: boolean): Promise<void> {
  await setPrincipalDisabled(await frameContext(services), { kind: 'user', name, isDisabled });
}
