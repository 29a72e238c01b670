// The header Idempotency-Key, for every mutation alike: none of them has to know of it.
import { print } from 'graphql';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { changeOnce, changeUnderKey } from '../../../changes/idempotent-change.js';
import type { AnswerForm } from '../../../changes/idempotent-change.js';
import { answerFromText, textFromAnswer } from '../../../store/write/kept-answer.js';
import { isRefusal, keptField } from '../mutation.js';

/**
 * Has each mutation of a schema done once for each key and place in the answer. What is kept is what the mutation gives
 * to its selection: what it changed, as it was then. A field whose extensions say `isIdempotent` is left as it is.
 */
export function withIdempotency(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    if (resolve === undefined || extensions['isIdempotent'] === true) continue;
    const kept = extensions[keptField];
    field.resolve = (root, args: { input?: object }, ctx: RequestContext, info) => {
      if (ctx.idempotencyKey === undefined || isTrial(args.input)) return resolve(root, args, ctx, info);
      const act = async (within: RequestContext): Promise<unknown> => resolve(root, args, within, info);
      return typeof kept === 'string' || kept === true
        ? changeUnderKey(ctx, requestOf(info), payloadForm(ctx, kept), act)
        : changeOnce(ctx, requestOf(info), answerForm(ctx), act);
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

function answerForm(ctx: RequestContext): AnswerForm<unknown> {
  return {
    textFrom: (answer) => (isRefusal(answer) ? undefined : textFromAnswer(answer)),
    answerFrom: (text) => answerFromText(ctx, text),
  };
}

/** A payload is kept by what it is made of: one field of it, or all. */
function payloadForm(ctx: RequestContext, kept: string | true) {
  return {
    textFrom: (answer: unknown) => textFromAnswer(kept === true ? answer : { [kept]: answer }),
    answerFrom: (text: string) => answerFromText(ctx, text),
  };
}
