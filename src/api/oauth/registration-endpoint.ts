// Dynamic client registration (RFC 7591): a program registers itself before it signs in its first user.
import { z } from 'zod';
import { deleteUnusedClients, registerClient } from '../../auth/grants/client-registration.js';
import { grantTypeNames } from '../../auth/grants/oauth-client.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { redirectUriProblem } from '../../auth/grants/redirect-uri.js';
import { grantableScopes, knownScopes } from '../../auth/scopes.js';
import { countRequest } from '../../auth/sign-in/sign-in-attempts.js';
import { tooManyRequests } from '../../errors.js';
import { sendJson } from '../../http/answer.js';
import { ruleOf } from '../../schema/problem.js';
import { displayName } from '../../schema/resource.js';
import { readJson } from './body.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';

const redirectUrisMax = 10;
const responseType = 'code';

/** The usable redirect URIs. Programs list one for each editor or platform, and some of these schemes are not allowed. */
const redirectUris = z
  .array(z.string())
  .min(1, 'must not be empty')
  .max(redirectUrisMax)
  .transform((uris, { addIssue }) => {
    const usable = uris.filter((uri) => redirectUriProblem(uri) === undefined);
    const problem = redirectUriProblem(uris[0] ?? '');
    if (usable.length === 0 && problem !== undefined) addIssue({ code: 'custom', message: problem, path: [0] });
    return usable;
  });

/** The known scopes of a request. Unknown ones, such as `offline_access`, are left out. */
const scope = z.string().transform((text, { addIssue }) => {
  const names = [...new Set(text.split(' ').filter((name) => name !== ''))];
  const known = names.filter((name) => knownScopes.includes(name));
  if (known.length === 0 && names.length > 0) {
    addIssue({ code: 'custom', message: 'must contain a scope in scopes_supported' });
  }
  return known;
});

/** The metadata that this service uses (RFC 7591, section 2). Other metadata is ignored. */
const clientMetadata = z.object({
  redirect_uris: redirectUris,
  client_name: displayName.optional(),
  scope: scope.optional(),
  grant_types: z
    .array(z.string())
    .refine((types) => types.includes(grantTypeNames.authorization_code), 'must contain authorization_code')
    .optional(),
  response_types: z
    .array(z.string())
    .refine((types) => types.includes(responseType), `must contain ${responseType}`)
    .optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** RFC 7591, section 3. The response says what the client got, which can differ from what it asked for. */
export async function answerRegistration(exchange: OauthExchange): Promise<void> {
  const { services, visitor, request, response } = exchange;
  const metadata = readMetadata(await readJson(request));
  const wait = await countRequest(services.db, 'registration of address', visitor.address, services.now());
  if (wait !== undefined) {
    throw tooManyRequests(
      'Too many clients were registered from this IP address. Try again after the time in Retry-After.',
      wait.retryAfterSeconds,
    );
  }
  const names = metadata.scope ?? [];
  const client = await registerClient(
    services.db,
    {
      displayName: metadata.client_name ?? 'An unnamed application',
      redirectUris: metadata.redirect_uris,
      scope: (names.length > 0 ? names : grantableScopes).join(' '),
    },
    services.now(),
  );
  record(exchange, 'client_registered', { client: client.id, what: client.displayName });
  for (const id of await deleteUnusedClients(services.db, services.now())) {
    record(exchange, 'client_deleted', { client: id });
  }
  sendJson(response, 201, {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    client_name: client.displayName,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes.map((type) => grantTypeNames[type]),
    response_types: [responseType],
    token_endpoint_auth_method: 'none',
    scope: client.scope,
  });
}

/** @throws `invalid_redirect_uri` or `invalid_client_metadata` with the first field that breaks a rule. */
function readMetadata(body: unknown): z.output<typeof clientMetadata> {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (!isObject) throw new OauthError('invalid_client_metadata', 'The body must be a JSON object.');
  // Some clients send null for metadata that they do not have.
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const parsed = clientMetadata.safeParse(given, { error: ruleOf, reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [field = '', index] = issue?.path ?? [];
  const code = field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  const place = index === undefined ? String(field) : `${String(field)}[${String(index)}]`;
  throw new OauthError(code, `${place} ${issue?.message ?? 'is not valid'}.`);
}
