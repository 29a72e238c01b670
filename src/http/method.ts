import { ApiError } from '../errors.js';

/** The `Allow` header for these methods. HEAD is allowed wherever GET is (RFC 9110, section 9.3.2). */
export function allowedMethods(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** The error 405 for a path that has other methods. */
export function methodNotAllowed(methods: readonly string[]): ApiError {
  const allow = allowedMethods(methods);
  return new ApiError('method_not_allowed', `Method not allowed. Allowed: ${allow}.`, { headers: { Allow: allow } });
}
