import { ApiError } from '../errors.js';

/** What `Allow` says where these methods are answered: whoever answers GET answers HEAD (RFC 9110, section 9.3.2). */
export function allowedMethods(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** 405 for an address that answers other methods. */
export function methodNotAllowed(methods: readonly string[]): ApiError {
  const allow = allowedMethods(methods);
  return new ApiError('method_not_allowed', `This address answers ${allow} only.`, { headers: { Allow: allow } });
}
