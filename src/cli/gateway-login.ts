// The command line as an OAuth client of a gateway: device authorization (RFC 8628), refreshing, revocation.
import { z } from 'zod';
import { jsonIn } from '../input/json.js';
import { passingStatuses } from '../manifests/gateway.js';
import { GatewayError, UnreachableError } from '../manifests/gateway-errors.js';
import { post } from '../manifests/post.js';
import { readLogin, writeLogin } from './login-file.js';
import type { Login } from './login-file.js';
import { visible } from './print.js';

/** The client id of the command line, built into every gateway. */
const clientId = 'command-line';

/** A token is refreshed this long before it expires. */
const renewedAheadMs = 60_000;

const deviceAnswer = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().positive(),
  interval: z.number().positive().default(5),
});

const tokenAnswer = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });

const refusal = z.object({ error: z.string(), error_description: z.string().default('') });

export interface DeviceLogin {
  server: string;
  scope: string;
  pause: (ms: number) => Promise<void>;
  /** Prints a line for the user: the URL to open, and the code. */
  tell: (line: string) => void;
}

/** Requests a device code, shows it to the user, and polls until they approve or deny it. @throws {GatewayError} */
export async function logIn({ server, scope, pause, tell }: DeviceLogin): Promise<Login> {
  const started = await call(server, 'device_authorization', { client_id: clientId, scope });
  const device = deviceAnswer.safeParse(started.body).data;
  if (!started.isFine || device === undefined) throw refused(server, started.body);
  tell(visible(`Open ${device.verification_uri} in a browser, and enter the code ${device.user_code}`));
  let intervalMs = device.interval * 1000;
  for (let waitedMs = intervalMs; waitedMs < device.expires_in * 1000; waitedMs += intervalMs) {
    await pause(intervalMs);
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code };
    // RFC 8628, section 3.5: after a network error, or while the gateway restarts, poll again with a longer interval.
    const answer = await call(server, 'token', { client_id: clientId, ...form }).catch(() => undefined);
    if (answer?.isFine) return loginFrom(server, answer.body);
    const code = answer === undefined ? 'slow_down' : refusal.safeParse(answer.body).data?.error;
    if (code === 'slow_down') intervalMs += 5_000;
    else if (code !== 'authorization_pending') throw refused(server, answer?.body);
  }
  throw new GatewayError('The code expired. Run "login" again.');
}

/**
 * The access token of a stored login, refreshed if it is about to expire.
 *
 * @throws {GatewayError} when the login has expired or was revoked.
 */
export async function currentToken(file: string, server: string): Promise<string> {
  const login = readLogin(file);
  if (login === undefined) throw new GatewayError(`You are not logged in to ${server}. Run "login".`);
  if (new Date(login.expiresAt).getTime() - Date.now() > renewedAheadMs) return login.accessToken;
  const form = { grant_type: 'refresh_token', refresh_token: login.refreshToken };
  const answer = await call(server, 'token', { client_id: clientId, ...form });
  if (!answer.isFine) {
    if (refusal.safeParse(answer.body).data?.error !== 'invalid_grant') throw refused(server, answer.body);
    // Another command may have replaced the login since it was read.
    if (readLogin(file)?.refreshToken !== login.refreshToken) return currentToken(file, server);
    throw new GatewayError(`Your login to ${server} has expired or was revoked. Run "login" again.`);
  }
  const renewed = loginFrom(server, answer.body);
  writeLogin(file, renewed);
  return renewed.accessToken;
}

/** Revokes a login at the gateway (RFC 7009). */
export async function logOut(server: string, { refreshToken }: Login): Promise<void> {
  const answer = await call(server, 'revoke', { client_id: clientId, token: refreshToken });
  if (!answer.isFine) throw refused(server, answer.body);
}

function loginFrom(server: string, body: unknown): Login {
  const tokens = tokenAnswer.safeParse(body).data;
  if (tokens === undefined) throw refused(server, body);
  const expiresAt = new Date(Date.now() + tokens.expires_in * 1000).toISOString();
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token, expiresAt };
}

/** @throws {UnreachableError} also while the gateway starts or stops, and beyond a rate limit */
async function call(
  server: string,
  endpoint: 'device_authorization' | 'token' | 'revoke',
  form: Record<string, string>,
): Promise<{ isFine: boolean; body: unknown }> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status, text } = await post(server, `/v0/oauth/${endpoint}`, headers, String(new URLSearchParams(form)));
  const body = jsonIn(text);
  if (passingStatuses.has(status)) {
    const reason = refusal.safeParse(body).data?.error_description;
    throw new UnreachableError(reason || `${server} returned ${status}. Try again.`);
  }
  return { isFine: status === 200, body };
}

function refused(server: string, body: unknown): GatewayError {
  const parsed = refusal.safeParse(body).data;
  if (parsed === undefined)
    return new GatewayError(`${server} did not return a valid response. Check that it is the URL of a gateway.`);
  return new GatewayError(
    parsed.error === 'access_denied' ? 'The request was denied.' : parsed.error_description || parsed.error,
  );
}
