// The Idempotency-Key header of mutations: the request that a key stands for, and the result that is stored under it.
import { print } from 'graphql';
import type { GraphQLResolveInfo, OperationDefinitionNode } from 'graphql';
import { z } from 'zod';
import type { RequestContext } from '../../auth/context.js';
import { changeOnce } from '../../changes/idempotent-change.js';
import type { ServiceContext } from '../../http/open-context.js';
import { textFromResponse } from '../../store/write/stored-response.js';

/**
 * Runs a mutation once for its key and response path.
 *
 * @returns the serialized payload that the selection reads: the changed resource as it was then.
 */
export function runOnce(
  ctx: ServiceContext,
  info: GraphQLResolveInfo,
  run: (within: ServiceContext) => Promise<object> | object,
): Promise<string> {
  const content = ['graphql', ...textsOf(info), info.variableValues];
  return changeOnce(ctx, { content, part: String(info.path.key) }, async (within) =>
    textFromPayload(ctx, await run(within)),
  );
}

const printed = new WeakMap<OperationDefinitionNode, string[]>();

/** The operation and the fragments of its document. Documents are kept, and printing a large one takes a while. */
function textsOf({ operation, fragments }: GraphQLResolveInfo): string[] {
  const known = printed.get(operation) ?? [operation, ...Object.values(fragments)].map((each) => print(each));
  printed.set(operation, known);
  return known;
}

function textFromPayload({ caller }: RequestContext, payload: object): string {
  return textFromResponse(payload, isForAdmins(payload) ? { caller, workspaceId: workspaceIdIn(payload) } : undefined);
}

/**
 * A new secret is in the field `secret` of a payload (`shown-secret.ts`). The URL of a webhook can contain a token. Only admins
 * create, update and delete workspaces.
 */
function isForAdmins(payload: object): boolean {
  return 'secret' in payload || 'webhook' in payload || 'workspace' in payload;
}

const ofWorkspace = z.object({ workspace: z.object({ id: z.string() }) });
const rowInWorkspace = z.object({ workspaceId: z.string().nullable() });

/** The workspace in a payload, or that of its row. Undefined if no row has one, as for executors. */
function workspaceIdIn(payload: object): string | null | undefined {
  const { data } = ofWorkspace.safeParse(payload);
  if (data !== undefined) return data.workspace.id;
  const rows = Object.values(payload).map((each: unknown) => rowInWorkspace.safeParse(each));
  return rows.find(({ success }) => success)?.data?.workspaceId;
}
