// Client authentication (RFC 6749, section 2.3.1): in the Authorization header or in the body, not both.
import { authenticateClient } from '../../auth/grants/oauth-client.js';
import type { ClientCredentials, OauthClient } from '../../auth/grants/oauth-client.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import type { Parameters } from './body.js';
import type { OauthExchange } from './exchange.js';

/** @throws `invalid_client`; `invalid_request` for credentials in two places. */
export async function callingClient({ services, request }: OauthExchange, body: Parameters): Promise<OauthClient> {
  const credentials = readCredentials(request.headers.authorization, body);
  return authenticateClient(services.db, credentials, services.publicUrl, services.now());
}

function readCredentials(header: string | undefined, body: Parameters): ClientCredentials {
  const clientId = body.get('client_id');
  const secret = body.get('client_secret');
  if (body.has('client_assertion') || body.has('client_assertion_type')) {
    throw new OauthError('invalid_client', 'Client assertions are not supported.');
  }
  if (header === undefined) {
    if (clientId === undefined) throw new OauthError('invalid_client', 'The request has no client_id.');
    return { clientId, secret };
  }
  const basic = basicCredentials(header);
  if (secret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw new OauthError(
      'invalid_request',
      'Send the client credentials either in the Authorization header or in the body, not in both.',
    );
  }
  return basic;
}

/** Both halves are form-encoded before they are joined, so a colon in them is `%3A`. */
function basicCredentials(header: string): ClientCredentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const clientId = formDecoded(id ?? '');
  if (clientId === undefined || clientId === '') {
    throw new OauthError('invalid_client', 'The Authorization header must be Basic, with a client_id and a secret.');
  }
  const decoded = formDecoded(secret ?? '');
  return { clientId, secret: decoded === '' ? undefined : decoded };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded as it should be: no client has such a name or secret.
    return undefined;
  }
}
