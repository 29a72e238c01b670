import { ApiError } from '../errors.js';
import type { RequestContext } from './context.js';

/** Tells of an error when it is one that refuses the caller what they may not do. */
export function tellRefusal(ctx: RequestContext, operation: string, error: unknown): void {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) return;
  ctx.onRefusal({ operation, message: error.message });
}

/** Does something that may be refused, and tells when it was. */
export async function tellingRefusals<Result>(
  ctx: RequestContext,
  operation: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    tellRefusal(ctx, operation, error);
    throw error;
  }
}
