import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RequestContext } from '../../../auth/context.js';
import { yamlLimits } from '../../../input/limits.js';
import type { YamlLimits } from '../../../input/limits.js';
import { applyKinds } from '../../../manifests/apply-kind.js';
import type { ApplyKind } from '../../../manifests/apply-kind.js';
import { applyDocuments } from '../../../manifests/apply.js';
import type { Outcome } from '../../../manifests/apply.js';
import { titleOf } from '../../../manifests/document.js';
import type { Document } from '../../../manifests/document.js';
import { readDocuments } from '../../../manifests/document-files.js';
import { RefusedError } from '../../../manifests/gateway-errors.js';
import type { Gateway } from '../../../manifests/gateway.js';
import { requiredScopesOf } from '../../graphql/required-scopes.js';
import { schema } from '../../graphql/server/schema.js';
import { MissingScopes, ToolError } from '../tool-call.js';
import type { ToolCall, Values } from '../tool-call.js';
import { defineTool } from '../tool.js';
import { fittingCount, nameInput, shortText, sizeInput, withoutEmpty } from '../tool-result.js';

const manifestLengthMax = 200_000;
const documentsMax = 100;

/** Enough for the longest manifest of useful documents. */
const manifestLimits: YamlLimits = {
  ...yamlLimits,
  items: 1_000,
  values: 20_000,
  documents: documentsMax,
  aliases: documentsMax,
  tokens: 100_000,
};
const source = 'manifest';

/** The changes and problems of one resource that a result has. */
const listedMax = 10;

export const applyManifest = defineTool({
  name: 'apply_manifest',
  title: 'Apply a manifest',
  description:
    'Creates or updates resources so that they equal a manifest (YAML or JSON; several documents separated by ---). ' +
    'By default a dry run, which returns what would change. Show it to the user, then call again with dryRun false.',
  input: z.strictObject({
    manifest: z
      .string()
      .max(manifestLengthMax)
      .describe(
        `Documents with kind, workspace, metadata and spec, as get_resource returns them (at most ${documentsMax}).`,
      ),
    workspace: nameInput.optional().describe('Workspace of documents that name none.'),
    dryRun: z.boolean().default(true).describe('Whether to only return what would change (default: true).'),
    ...sizeInput,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (call, { manifest, workspace, dryRun, maxBytes }) => {
    requireSomeChange(call);
    const { documents, bad } = readDocuments([{ file: source, content: manifest }], workspace, manifestLimits);
    if (documents.length + bad.length === 0) {
      throw new ToolError('invalid_parameter', 'manifest contains no documents.');
    }
    if (bad.length > 0) {
      const problems = bad.slice(0, listedMax).flatMap(({ position, problems: all }) =>
        all.slice(0, listedMax).map(({ path, message, line }) => ({
          document: position.document,
          ...(line === undefined ? {} : { line }),
          path: shortText(path.join('.')),
          message: shortText(message),
        })),
      );
      throw new ToolError('invalid_input', 'Nothing was changed, because documents are not valid.', {
        problems: problems.slice(0, listedMax),
      });
    }
    if (documents.length > documentsMax) {
      throw new ToolError('invalid_parameter', `manifest must have at most ${documentsMax} documents.`);
    }
    requireScopesOf(call, documents);
    const outcomes: Outcome[] = [];
    await applyDocuments(gatewayOf(call), documents, { isDryRun: dryRun, tell: (outcome) => outcomes.push(outcome) });
    return reportOf(outcomes, dryRun, maxBytes);
  },
});

/** Refuses a caller who can change nothing before its manifest is read, however long it is. */
function requireSomeChange({ ctx }: ToolCall): void {
  const { caller } = ctx;
  const scopes = new Set(applyKinds.flatMap(changingScopes));
  if (!caller.scopes.has('admin') && ![...scopes].some((scope) => caller.scopes.has(scope))) {
    throw denied(ctx, new MissingScopes([...scopes]));
  }
  const roles = [...caller.workspaces.values(), ...caller.accounts.filter(({ role }) => role === 'admin')];
  if (roles.every(({ role }) => role === 'viewer')) {
    throw denied(ctx, new ToolError('forbidden', 'Your role is viewer, which cannot make changes.'));
  }
}

/** Refuses a credential that lacks a scope for one of the documents, and names all that it lacks. */
function requireScopesOf({ ctx }: ToolCall, documents: readonly Document[]): void {
  const { caller } = ctx;
  if (caller.scopes.has('admin')) return;
  const kinds = new Set(documents.map(({ kind }) => kind));
  const scopes = new Set([...kinds].flatMap((kind) => [...scopesOf('Query', kind.one), ...changingScopes(kind)]));
  const missing = [...scopes].filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0) throw denied(ctx, new MissingScopes(missing));
}

/** Records a refusal in the change log. Later ones are recorded by the operations that refuse. */
function denied<Refusal extends Error>(ctx: RequestContext, refusal: Refusal): Refusal {
  ctx.onDeniedRequest({ operation: applyManifest.name, message: refusal.message });
  return refusal;
}

function changingScopes({ name }: ApplyKind): string[] {
  return [...scopesOf('Mutation', `create${name}`), ...scopesOf('Mutation', `update${name}`)];
}

function scopesOf(type: 'Query' | 'Mutation', name: string): readonly string[] {
  const field = (type === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[name];
  return field === undefined ? [] : (requiredScopesOf(field)?.[0] ?? []);
}

/** The API of this process. Applying a document twice changes nothing, so mutations need no idempotency key. */
function gatewayOf(call: ToolCall): Gateway {
  const execute: Gateway['query'] = async (document, variables) => {
    try {
      const { data, errors } = await call.executeText(document, { variables });
      const [first] = errors;
      if (first !== undefined) throw first;
      return data;
    } catch (error) {
      if (error instanceof MissingScopes) throw new RefusedError(error.refusal.error, error.message);
      throw error instanceof ToolError ? new RefusedError(error.code, error.message) : error;
    }
  };
  return {
    query: execute,
    mutate: execute,
    pause: async (ms) => {
      await sleep(ms);
      // The caller's workspaces now include those that were created.
      await call.ctx.renew();
    },
  };
}

/** Refused resources come first, and unchanged ones last: they are omitted if the result is too long. */
function reportOf(outcomes: Outcome[], isDryRun: boolean, bytesMax: number): Values {
  const order: Outcome['action'][] = ['refused', 'deleted', 'created', 'updated', 'unchanged'];
  const sorted = outcomes.toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  const counts = Object.fromEntries(
    order.flatMap((action) => {
      const count = outcomes.filter((outcome) => outcome.action === action).length;
      return count === 0 ? [] : [[action, count]];
    }),
  );
  const results = sorted.map(({ action, reference, changes = [], problems = [], note }) =>
    withoutEmpty({
      action,
      resource: shortText(titleOf(reference)),
      changes: changes.slice(0, listedMax).map((change) => shortText(JSON.stringify(change))),
      problems: problems
        .slice(0, listedMax)
        .map(({ path, message }) =>
          withoutEmpty({ path: shortText(path.join('.')) || null, message: shortText(message) }),
        ),
      note,
    }),
  );
  const reportWith = (count: number): Values => ({
    dryRun: isDryRun,
    counts,
    results: results.slice(0, count),
    ...(count < results.length ? { omitted: results.length - count } : {}),
  });
  return reportWith(fittingCount(results, reportWith, { bytesMax, countMin: 1 }));
}
