// The header Idempotency-Key, for every mutation alike: none of them has to know of it.
import { print } from 'graphql';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { changeOnce } from '../../../changes/idempotent-change.js';
import type { ResponseForm } from '../../../changes/idempotent-change.js';
import { responseFromText, textFromResponse } from '../../../store/write/stored-response.js';
import { isRefusal } from '../mutation.js';

/**
 * Has each mutation of a schema done once for each key and place in the answer. What is kept is what the mutation gives
 * to its selection: what it changed, as it was then. A field whose extensions say `isIdempotent` is left as it is.
 */
export function withIdempotency(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    if (resolve === undefined || extensions['isIdempotent'] === true) continue;
    field.resolve = (root, args: { input?: object }, ctx: RequestContext, info) => {
      if (ctx.idempotencyKey === undefined || isTrial(args.input)) return resolve(root, args, ctx, info);
      return changeOnce(ctx, requestOf(info), answerForm(ctx), async (within): Promise<unknown> =>
        resolve(root, args, within, info),
      );
    };
  }
  return schema;
}

/** What only says what would be changes nothing, so it may be asked for again, and takes no key. */
function isTrial(input: object | undefined): boolean {
  return input !== undefined && 'validateOnly' in input && input.validateOnly === true;
}

function requestOf({ operation, fragments, variableValues, path }: GraphQLResolveInfo) {
  const documents = [operation, ...Object.values(fragments)].map((definition) => print(definition));
  return { content: ['graphql', ...documents, variableValues], part: String(path.key) };
}

function answerForm(ctx: RequestContext): ResponseForm<unknown> {
  return {
    textFrom: (answer) => (isRefusal(answer) ? undefined : textFromResponse(answer)),
    responseFrom: (text) => responseFromText(ctx, text),
  };
}
