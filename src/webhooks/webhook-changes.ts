// Creates, updates and deletes webhooks.
import { randomUUID } from 'node:crypto';
import type { AuthorizedAccount } from '../auth/authorize.js';
import { AuthorizedWorkspace } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { invalidParameter } from '../errors.js';
import { readTogether } from '../schema/read-together.js';
import { readInput, readUpdate, refuseNull } from '../schema/shape-value.js';
import { filterConditions } from '../changes/change-filter.js';
import type { ChangeFilter } from '../changes/change-filter.js';
import { readHistoryEnds } from '../changes/change-page.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { recordChanges } from '../changes/record-changes.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockCreator } from '../store/write/lock-creator.js';
import { changeWebhook } from './locked-webhook.js';
import type { LockedWebhook, WhichWebhook } from './locked-webhook.js';
import { createSecret } from './signature.js';
import {
  secretPurpose,
  storedFilter,
  storedWebhookQuery,
  urlColumns,
  urlOf,
  webhookChange,
  webhookInput,
} from './webhook.js';
import type { StoredFilter, StoredWebhook, WebhookFormat } from './webhook.js';
import { authorizeWebhookTenant, requireRoom } from './webhooks.js';

export interface WebhookInput {
  /** The name of the workspace whose changes are sent. Without it, those of the whole account. */
  workspace?: string | null | undefined;
  name: string;
  url: string;
  /** The format of messages (default: standard). */
  format?: WebhookFormat | null | undefined;
  /** The changes to send. Without it, all of the workspace or account. */
  filter?: WebhookFilterInput | null | undefined;
}

/** A change filter that also takes the global id of a resource. */
export type WebhookFilterInput = ChangeFilter & { resource?: string | null | undefined };

/** A webhook with its secret, which is returned only once. */
export interface WebhookWithSecret {
  webhook: StoredWebhook;
  secret: string;
}

/**
 * Creates a webhook. It receives the changes from now on.
 *
 * @throws 400 `invalid_input`, `invalid_parameter`; 403 unless the caller is an admin of the account or workspace; 409
 * `conflict` at the maximum number of webhooks of an account.
 */
export async function createWebhook(ctx: RequestContext, input: WebhookInput & DryRun): Promise<WebhookWithSecret> {
  const authorized = authorizeWebhookTenant(ctx, input.workspace);
  const { text, filter } = readTogether({
    text: () => readInput(webhookInput(ctx.egressRules), { name: input.name, url: input.url }),
    filter: () => readFilter(authorized, input.filter),
  });
  const { name, url } = text;
  const secret = createSecret();
  const id = randomUUID();
  const now = ctx.now();
  const workspaceId = authorized instanceof AuthorizedWorkspace ? authorized.workspace.id : null;
  const accountId = authorized.account.id;
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    await lockCreator(within);
    await requireRoom(within);
    const { last } = await readHistoryEnds(within.db, accountId);
    const data = {
      id,
      accountId,
      workspaceId,
      name,
      ...urlColumns(ctx.encryption, id, url),
      format: input.format ?? 'standard',
      filter: { ...filter },
      secret: ctx.encryption.ofRow('webhook', id).encrypt(secretPurpose, secret),
      createdAt: now,
      createdBy: ctx.caller.principal.name,
      updatedAt: now,
      position: last,
    };
    const webhook = await (await within.db.$prisma()).webhook.create({ data, ...storedWebhookQuery });
    await recordChanges(within, webhookChange('created', byCaller(ctx, 'Created'), { after: webhook }));
    return { webhook, secret };
  });
}

export interface WebhookUpdate extends WhichWebhook {
  name?: string | null | undefined;
  url?: string | null | undefined;
  format?: WebhookFormat | null | undefined;
  /** Null sends all changes. */
  filter?: WebhookFilterInput | null | undefined;
  paused?: boolean | null | undefined;
  /** When the webhook resumes: whether to skip the changes made while it was paused. */
  skipMissed?: boolean | null | undefined;
}

/**
 * Updates the given fields of a webhook. A resumed webhook first sends the changes it missed, unless they are skipped. What
 * a previous URL did not take is sent to the new one immediately.
 *
 * @throws 400; 403; 404; 409 `version_mismatch`.
 */
export async function updateWebhook(ctx: RequestContext, input: WebhookUpdate): Promise<StoredWebhook> {
  const { id, name, url } = input;
  return changeWebhook(ctx, input, async ({ within, webhook: current }) => {
    refuseNull(input, ['format', 'paused']);
    const changes = { ...(name === undefined ? {} : { name }), ...(url === undefined ? {} : { url }) };
    const before = { name: current.name, url: urlOf(ctx.encryption, current) ?? '' };
    const schema = webhookInput(ctx.egressRules);
    const { text: parsed, filter } = readTogether({
      // The rules can be stricter than when the URL was stored. Without a new one they do not matter here.
      text: () =>
        url === undefined
          ? { ...before, ...readUpdate(schema.pick({ name: true }), { name: before.name }, changes) }
          : readUpdate(schema, before, changes),
      filter: () => (input.filter === undefined ? storedFilter(current) : readFilter(within, input.filter)),
    });
    const wasPaused = current.pausedAt !== null;
    const isPaused = input.paused ?? wasPaused;
    const format = input.format ?? current.format;
    const next = { ...parsed, format, filter, paused: isPaused };
    const old = { ...before, format: current.format, filter: storedFilter(current), paused: wasPaused };
    const fields = fieldsChanged(old, next);
    if (fields.length === 0) return current;
    const pause = isPaused
      ? {
          pausedAt: current.pausedAt ?? ctx.now(),
          pauseReason: current.pauseReason ?? `by ${ctx.caller.principal.name}`,
        }
      : { pausedAt: null, pauseReason: null };
    const isMoved = parsed.url !== before.url;
    const isResumed = wasPaused && !isPaused;
    const isFresh = isMoved || isResumed;
    if (isFresh) await beginAgain(within, id, isResumed && input.skipMissed === true);
    const webhook = {
      ...current,
      name: parsed.name,
      ...(isMoved ? urlColumns(ctx.encryption, id, parsed.url) : {}),
      format,
      filter: { ...filter },
      ...pause,
      ...(isFresh ? { failures: 0, blockedUntil: null } : {}),
      version: current.version + 1,
      updatedAt: ctx.now(),
    };
    const records = { before: current, after: webhook, fields };
    await writeWebhook(within, webhook);
    await recordChanges(within, webhookChange('updated', byCaller(ctx, 'Updated'), records));
    return webhook;
  });
}

async function writeWebhook({ db }: AuthorizedAccount, webhook: StoredWebhook): Promise<void> {
  const { id, version, name, url, origin, format, filter } = webhook;
  const { pausedAt, pauseReason, failures, blockedUntil, updatedAt } = webhook;
  await db.$executeRaw(Prisma.sql`
    UPDATE "webhook" SET "version" = ${version}::int, "name" = ${name}, "url" = ${url},
      "origin" = ${origin}, "format" = ${format}::webhook_format,
      "filter" = ${JSON.stringify(filter)}::jsonb, "paused_at" = ${pausedAt}::timestamptz, "pause_reason" = ${pauseReason},
      "failures" = ${failures}::int, "blocked_until" = ${blockedUntil}::timestamptz, "updated_at" = ${updatedAt}::timestamptz
    WHERE "id" = ${id}::uuid`);
}

/**
 * Makes the waiting deliveries due again with a fresh retry period, or skips them and all changes without deliveries.
 */
async function beginAgain({ db, account }: AuthorizedAccount, id: string, isSkipping: boolean): Promise<void> {
  if (!isSkipping) {
    await db.$executeRaw`
      UPDATE "webhook_delivery" SET "tried_since" = NULL, "next_at" = now()
      WHERE "webhook_id" = ${id}::uuid AND "status" = 'waiting'`;
    return;
  }
  const { last } = await readHistoryEnds(db, account.id);
  await db.$executeRaw`
    UPDATE "webhook_delivery" SET "status" = 'skipped'
    WHERE "webhook_id" = ${id}::uuid AND "status" = 'waiting' AND "reason" = 'change'`;
  await db.$executeRaw`UPDATE "webhook" SET "position" = ${last}::bigint WHERE "id" = ${id}::uuid`;
}

/** Deletes a webhook with its deliveries. @returns the webhook before. @throws 403; 404; 409 `version_mismatch`. */
export async function deleteWebhook(ctx: RequestContext, which: WhichWebhook): Promise<StoredWebhook> {
  return changeWebhook(ctx, which, async ({ within, webhook }) => {
    await within.db.$executeRaw(Prisma.sql`DELETE FROM "webhook" WHERE "id" = ${webhook.id}::uuid`);
    await recordChanges(within, webhookChange('deleted', byCaller(ctx, 'Deleted'), { before: webhook }));
    return webhook;
  });
}

/**
 * Replaces the secret of a webhook. For one day, messages are signed with the old secret too.
 *
 * @throws 403; 404; 409 `version_mismatch`.
 */
export async function rotateWebhookSecret(ctx: RequestContext, which: WhichWebhook): Promise<WebhookWithSecret> {
  const { id } = which;
  const secret = createSecret();
  const encryptedText = ctx.encryption.ofRow('webhook', id).encrypt(secretPurpose, secret);
  const rotate = async ({ within, webhook: before, nextDay }: LockedWebhook): Promise<WebhookWithSecret> => {
    const after = { ...before, version: before.version + 1, updatedAt: ctx.now(), previousEndsAt: nextDay };
    await within.db.$executeRaw(Prisma.sql`
      UPDATE "webhook" SET "previous_secret" = "secret", "previous_ends_at" = ${after.previousEndsAt}::timestamptz,
        "secret" = ${encryptedText}, "version" = ${after.version}::int, "updated_at" = ${after.updatedAt}::timestamptz
      WHERE "id" = ${id}::uuid`);
    const changes = webhookChange('updated', byCaller(ctx, 'Secret rotated'), { before, after, fields: ['secret'] });
    await recordChanges(within, changes);
    return { webhook: after, secret };
  };
  return changeWebhook(ctx, which, rotate, lockCreator);
}

function byCaller({ caller }: RequestContext, done: string): string {
  return `${done} by ${caller.principal.name}`;
}

/** @throws 400 for an invalid criterion or one that does not apply to webhooks; 403 for an inaccessible workspace. */
function readFilter(authorized: AuthorizedAccount, filter: WebhookFilterInput | null | undefined): StoredFilter {
  if (filter == null) return {};
  const { workspaces, time, ...rest } = filter;
  if (time != null) throw invalidParameter('filter.time', 'is not allowed for webhooks, which send future changes');
  const isOfWorkspace = authorized instanceof AuthorizedWorkspace;
  for (const name of ['workspaces', 'addresses'] as const) {
    if (isOfWorkspace && filter[name] != null) {
      throw invalidParameter(`filter.${name}`, 'is only available for webhooks of the whole account');
    }
  }
  const known = authorized.caller.workspaces;
  filterConditions(filter, { isWholeAccount: !isOfWorkspace, workspaces: known });
  const workspaceIds = workspaces?.flatMap((name) => known.get(name)?.id ?? []);
  const lists = Object.entries({ ...rest, workspaceIds }).filter(([, value]) => value != null);
  return Object.fromEntries(lists);
}
