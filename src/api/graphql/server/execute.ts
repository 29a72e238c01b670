// Executes every operation, from any transport: computes its cost, runs it if the cost is within the limits, and stops
// it at the timeout.
import { OperationTypeNode } from 'graphql';
import type { ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { noteChange, readOfReplica } from '../../../auth/context.js';
import type { RequestContext } from '../../../auth/context.js';
import { ApiError, operationTimedOut } from '../../../errors.js';
import { assumeShortest, forgetSizes, readKnownSizes } from '../known-sizes.js';
import type { GraphqlServices } from './graphql-services.js';
import { formatErrors } from './format-error.js';
import type { Operation } from './operation.js';
import type { Price } from './price.js';
import { recordDeniedRequests } from './denied-requests.js';

/** How deep a query may go, fragments resolved. */
const depthMax = 20;

export interface ExecutionSettings extends Pick<GraphqlServices, 'traces'> {
  complexityMax: number;
  operationMsMax: number;
  log: Logger;
}

/** Called with the cost of an operation before it runs. @throws 429 if the cost is over the rate limit. */
export type OnPrice = (complexity: number) => Promise<void>;

/** The options of an execution. */
export interface Asked {
  variables: Record<string, unknown>;
  /** Whether to compute only the cost, without running it. */
  isDryRun: boolean;
}

/** Runs an operation. Errors are formatted; a result without `data` means that nothing ran. */
export async function executeOperation(
  operation: Operation,
  ctx: RequestContext,
  { variables, isDryRun }: Asked,
  settings: ExecutionSettings,
  onPrice: OnPrice,
): Promise<ExecutionResult> {
  const { complexityMax, operationMsMax, log, traces } = settings;
  const { operation: type, name } = operation.definition;
  if (type === OperationTypeNode.QUERY) readOfReplica(ctx);
  const onEnd = () => {
    if (type === OperationTypeNode.MUTATION) noteChange(ctx);
  };
  let extensions = {};
  try {
    const price = await priceOf(operation, variables, ctx, complexityMax);
    const cost = { complexity: price.complexity, complexityMax, depth: price.depth };
    const isRefused = price.complexity > complexityMax || price.depth > depthMax;
    const mostExpensiveField = isDryRun || isRefused ? operation.mostExpensiveField(variables, ctx) : undefined;
    extensions = { cost: mostExpensiveField === undefined ? cost : { ...cost, mostExpensiveField } };
    if (isDryRun) return { data: null, extensions };
    await pay(price, complexityMax, onPrice);
    const run = () => operation.run(ctx, variables);
    const running = traces?.operation({ type, name: name?.value, cost: price.complexity }, run) ?? run();
    const result = await within(ctx, operationMsMax, running, onEnd);
    if (result.errors === undefined) return { ...result, extensions };
    const { errors, ...rest } = result;
    recordDeniedRequests(ctx, operation, errors);
    return { errors: formatErrors(errors, ctx.requestId, log), ...rest, extensions };
  } catch (error) {
    return { errors: formatErrors(error, ctx.requestId, log), extensions };
  } finally {
    onEnd();
  }
}

/** Computes the price from the requested sizes. If it is over the limit, computes it from the existing rows. */
export async function priceOf(
  operation: Operation,
  variables: Record<string, unknown>,
  ctx: RequestContext,
  complexityMax: number,
): Promise<Price> {
  const price = operation.price(variables, ctx);
  if (price.complexity <= complexityMax || price.depth > depthMax) return price;
  assumeShortest(ctx);
  if (operation.priceBySize(variables, ctx).complexity > complexityMax) forgetSizes(ctx);
  else await readKnownSizes(ctx);
  return operation.priceBySize(variables, ctx);
}

/** @throws 400 `query_too_complex` for an operation over a limit; the error of onPrice. */
export async function pay({ complexity, depth }: Price, complexityMax: number, onPrice: OnPrice): Promise<void> {
  if (depth > depthMax) throw tooComplex(`is ${depth} levels deep. At most ${depthMax} are allowed`, depthMax, depth);
  if (complexity > complexityMax) {
    const problem = `costs ${complexity}. At most ${complexityMax} is allowed. Request smaller pages or fewer fields`;
    throw tooComplex(problem, complexityMax, complexity);
  }
  await onPrice(complexity);
}

/**
 * Statements that still run after the timeout end by their own limit. Time in the queue does not count.
 *
 * @param onEnd called when the operation itself has ended, also after the timeout.
 */
function within<Result>(
  ctx: RequestContext,
  msMax: number,
  running: Result | Promise<Result>,
  onEnd: () => void,
): Result | Promise<Result> {
  if (!(running instanceof Promise)) return running;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(end, msMax);
    function end(): void {
      const leftMs = ctx.stayUntilMs + msMax - performance.now();
      if (ctx.stayUntilMs === 0 || leftMs <= 0) reject(operationTimedOut(msMax));
      else timer = setTimeout(end, leftMs);
    }
    running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      onEnd();
    });
  });
}

function tooComplex(problem: string, limit: number, actual: number): ApiError {
  return new ApiError('query_too_complex', `The query ${problem}.`, { exceeded: { limit, actual } });
}
