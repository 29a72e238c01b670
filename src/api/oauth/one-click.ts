// Sign-in of the demo: one click instead of a password, only on the machine that runs it.
import { isOwnHost } from '../../http/own-host.js';
import type { OauthExchange } from './exchange.js';

/**
 * The user whom one click signs in; undefined in every gateway but a demo, and for a browser that came by a name
 * which is not this service's own: another site could have pointed its name here (DNS rebinding).
 */
export function oneClickUser({ services, request }: OauthExchange): string | undefined {
  return isOwnHost(services.publicUrl, request.headers.host) ? services.examples.user : undefined;
}
