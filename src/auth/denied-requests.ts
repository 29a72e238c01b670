import { ApiError } from '../errors.js';
import type { RequestContext } from './context.js';

/** Records a denied request, if the error is one. */
export function recordDeniedRequest(ctx: RequestContext, operation: string, error: unknown): void {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) return;
  ctx.onDeniedRequest({ operation, message: error.message });
}

/** Runs an action and records it if it is denied. */
export async function recordingDeniedRequests<Result>(
  ctx: RequestContext,
  operation: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    recordDeniedRequest(ctx, operation, error);
    throw error;
  }
}
