// Applies the Idempotency-Key header to every mutation, without code in the mutations themselves.
import { print } from 'graphql';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { forgetReads } from '../../../auth/context.js';
import type { RequestContext } from '../../../auth/context.js';
import type { ServiceContext } from '../../../http/open-context.js';
import { changeOnce } from '../../../changes/idempotent-change.js';
import type { ResponseForm } from '../../../changes/idempotent-change.js';
import { responseFromText, textFromResponse } from '../../../store/write/stored-response.js';
import { isRefusal, preparationOf } from '../mutation.js';

/**
 * Runs each mutation once for each key and response path. The stored response is the result that the selection reads:
 * the changed resource as it was then. Fields with the extension `isIdempotent` are not wrapped.
 */
export function withIdempotency(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    if (resolve === undefined || extensions['isIdempotent'] === true) continue;
    const preparation = preparationOf(field);
    field.resolve = async (
      root,
      args: { input?: Record<string, unknown> },
      ctx: ServiceContext,
      info,
    ): Promise<unknown> => {
      if (ctx.idempotencyKey === undefined || isDryRun(args.input)) return resolve(root, args, ctx, info);
      // The mutation runs in a context of its own, but its selection is read in this one.
      forgetReads(ctx);
      await preparation?.run(ctx, args.input ?? {});
      return changeOnce(ctx, requestOf(info), answerForm(ctx), async (within): Promise<unknown> =>
        resolve(root, args, within, info),
      );
    };
  }
  return schema;
}

/** A dry run changes nothing, so it takes no key. */
function isDryRun(input: object | undefined): boolean {
  return input !== undefined && 'validateOnly' in input && input.validateOnly === true;
}

function requestOf({ operation, fragments, variableValues, path }: GraphQLResolveInfo) {
  const documents = [operation, ...Object.values(fragments)].map((definition) => print(definition));
  return { content: ['graphql', ...documents, variableValues], part: String(path.key) };
}

function answerForm(ctx: RequestContext): ResponseForm<unknown> {
  return {
    textFrom: (answer) =>
      isRefusal(answer)
        ? undefined
        : textFromResponse(
            answer,
            holdsSecret(answer) ? { caller: ctx.caller, workspaceId: workspaceIdIn(answer) } : undefined,
          ),
    responseFrom: (text) => responseFromText(ctx, text),
  };
}

/** A new secret is in the field `secret` of a payload (`shown-secret.ts`). The URL of a webhook can contain a token. */
function holdsSecret(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null && ('secret' in answer || 'webhook' in answer);
}

const rowInWorkspace = z.object({ workspaceId: z.string().nullable() });

/** The workspace of the row in a payload. Undefined if no row has one, as for executors. */
function workspaceIdIn(answer: object): string | null | undefined {
  const rows = Object.values(answer).map((each: unknown) => rowInWorkspace.safeParse(each));
  return rows.find(({ success }) => success)?.data?.workspaceId;
}
