// A webhook: the URL that changes of an account or workspace are sent to, and the filter of those changes.
import { z } from 'zod';
import { isIP } from 'node:net';
import type { Prisma } from '../database/client/client.js';
import type { ChangeKind, ChangeAction } from '../changes/change-subjects.js';
import { oneOf } from '../changes/change-condition.js';
import type { ChangeCondition } from '../changes/change-condition.js';
import { allKinds, changeSubjects } from '../changes/change-subjects.js';
import type { NewChange } from '../changes/record-changes.js';
import type { Encryption } from '../encryption.js';
import { masked } from '../schema/resource.js';
import { nameForPeople, text } from '../schema/text.js';
import { isAllowedAddress } from './public-address.js';
import type { EgressRules } from '../config/egress-rules.js';

/** Webhook statuses with their descriptions. */
export const webhookStatuses = {
  active: 'Changes are sent as they happen.',
  paused: 'Only requested deliveries are sent. Changes wait for as long as the change log retains them.',
} as const;

export type WebhookStatus = keyof typeof webhookStatuses;

/** Delivery statuses with their descriptions. */
export const deliveryStatuses = {
  waiting: 'Waiting to be sent or retried.',
  delivered: 'Accepted by the receiver.',
  failed: 'Failed, with no further retries. You can send it again as a new delivery.',
  skipped: 'Skipped when the webhook resumed after a pause.',
} as const;

export type DeliveryStatus = keyof typeof deliveryStatuses;

/** The formats of messages with their descriptions. */
export const webhookFormats = {
  standard: 'Signed JSON of the Standard Webhooks specification, for programs.',
  slack: 'A message for an incoming webhook of Slack.',
  teams: 'An Adaptive Card for a workflow of Microsoft Teams that posts webhook requests.',
} as const;

export type WebhookFormat = keyof typeof webhookFormats;

/** The filter as it is stored, with workspaces by id, because a name can later belong to another workspace. */
export interface StoredFilter {
  kinds?: ChangeKind[];
  actions?: ChangeAction[];
  names?: string[];
  actors?: string[];
  clients?: string[];
  addresses?: string[];
  workspaceIds?: string[];
  resourceId?: string;
  /** The global id that the caller gave. */
  resource?: string;
}

/** The fields read of a webhook, without its secrets. */
export const storedWebhookQuery = {
  select: {
    id: true,
    version: true,
    accountId: true,
    workspaceId: true,
    name: true,
    url: true,
    origin: true,
    format: true,
    filter: true,
    previousEndsAt: true,
    pausedAt: true,
    pauseReason: true,
    createdAt: true,
    createdBy: true,
    updatedAt: true,
    failures: true,
    blockedUntil: true,
    workspace: { select: { name: true } },
  },
} as const;

export type StoredWebhook = Prisma.WebhookGetPayload<typeof storedWebhookQuery>;

/** The purposes for which secrets and URLs are encrypted. */
export const secretPurpose = 'webhook secret';
export const urlPurpose = 'webhook URL';

/** The columns of a webhook's URL: it can contain a token, so only its origin is stored in clear. */
export function urlColumns(encryption: Encryption, id: string, url: string): { url: string; origin: string } {
  return { url: encryption.ofRow('webhook', id).encrypt(urlPurpose, url), origin: new URL(url).origin };
}

/** The URL of a stored webhook; undefined if no secret of the service decrypts it. */
export function urlOf(encryption: Encryption, { id, url }: Pick<StoredWebhook, 'id' | 'url'>): string | undefined {
  return encryption.ofRow('webhook', id).open(urlPurpose, url);
}

const urlLengthMax = 2_048;

/** Returns the schema of a webhook's input. @param rules the addresses that the service allows. */
export function webhookInput(rules: EgressRules) {
  return z.object({
    name: nameForPeople(63),
    url: text(urlLengthMax).superRefine((url, { addIssue }) => {
      const rule = urlProblem(url, rules);
      if (rule !== undefined) addIssue({ code: 'custom', message: rule, params: { code: 'invalid_format' } });
    }),
  });
}

function urlProblem(address: string, { allowsHttp, allowedNetworks }: EgressRules): string | undefined {
  const url = URL.parse(address);
  const isHttps = url?.protocol === 'https:';
  if (url === null || !(isHttps || (allowsHttp && url.protocol === 'http:'))) {
    return allowsHttp ? 'must be an https:// or http:// URL' : 'must be an https:// URL';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not have port 0, on which nothing can listen';
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  // Names are checked at each attempt, when they are resolved.
  if (isIP(host) > 0 && !isAllowedAddress(host, allowedNetworks)) return 'must be a public address';
  return undefined;
}

/** Returns the stored filter of a webhook. */
export function storedFilter({ filter }: Pick<StoredWebhook, 'filter'>): StoredFilter {
  const stored: unknown = filter;
  // The column only ever holds a StoredFilter.
  const isFilter = (value: unknown): value is StoredFilter => typeof value === 'object' && value !== null;
  return isFilter(stored) ? stored : {};
}

/**
 * Returns the conditions of a change for it to be sent. A workspace's webhook gets no changes of the account itself.
 */
export function webhookConditions(workspaceId: string | null, filter: StoredFilter): ChangeCondition[] {
  const { kinds, actions, names, actors, clients, addresses, workspaceIds, resourceId } = filter;
  const listed: [Parameters<typeof oneOf>[0], readonly string[] | undefined][] = [
    [
      'kind',
      workspaceId === null ? kinds : (kinds ?? allKinds).filter((kind) => changeSubjects[kind].isOfAccount !== true),
    ],
    ['workspaceId', workspaceId === null ? workspaceIds : [workspaceId]],
    ['verb', actions],
    ['name', names],
    ['actorName', actors],
    ['client', clients],
    ['address', addresses],
    ['resourceId', resourceId === undefined ? undefined : [resourceId]],
  ];
  return listed.flatMap(([field, values]) => (values === undefined ? [] : [oneOf(field, values)]));
}

const events = {
  created: { type: 'creation', status: () => 'CREATED' },
  updated: { type: 'update', status: () => 'UPDATED' },
  deleted: { type: 'deletion', status: () => 'DELETED' },
  status: { type: 'status', status: ({ pausedAt }: StoredWebhook) => (pausedAt === null ? 'ACTIVE' : 'PAUSED') },
} as const satisfies Partial<Record<ChangeAction, object>>;

/** Returns the change of a webhook for the change log. The URL may contain a secret, so only its origin is recorded. */
export function webhookChange(
  verb: keyof typeof events,
  message: string,
  { before, after, fields }: { before?: StoredWebhook; after?: StoredWebhook; fields?: string[] },
): NewChange[] {
  const webhook = after ?? before;
  if (webhook === undefined) return [];
  const { id, name, version } = webhook;
  const { type, status } = events[verb];
  return [
    {
      kind: 'WEBHOOK',
      verb,
      resourceId: id,
      name,
      version,
      before: before && shownWebhook(before),
      after: after && shownWebhook(after),
      ...(fields === undefined ? {} : { fields }),
      event: { type, status: status(webhook), message },
    },
  ];
}

export function shownWebhook(webhook: StoredWebhook): object {
  const { name, origin, format, workspace, pausedAt, pauseReason, createdAt, updatedAt, previousEndsAt } = webhook;
  return {
    name,
    url: `${origin}/${masked}`,
    format,
    filter: storedFilter(webhook),
    workspace: workspace?.name,
    pausedAt: pausedAt?.toISOString(),
    pauseReason: pauseReason ?? undefined,
    previousSecretEndsAt: previousEndsAt?.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
