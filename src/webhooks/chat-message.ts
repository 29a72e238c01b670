// Messages about changes for people, in the formats of chat services.
import type { Change } from '../changes/change.js';
import type { ChangeAction, ChangeKind } from '../changes/change-subjects.js';
import { globalId } from '../pagination/global-id.js';
import { labelOfKind } from '../resource-kinds.js';
import { cutText } from '../errors.js';

/** A message: plain text of unlimited origin, and the page of the console to open. */
export interface ChatMessage {
  /** One sentence. */
  sentence: string;
  /** Further lines. */
  details: string[];
  /** Undefined if the console has no page for it. */
  link: string | undefined;
}

const done: Record<ChangeAction, string> = {
  created: 'was created',
  updated: 'was updated',
  deleted: 'was deleted',
  status: 'has a new status',
  shared: 'was offered to another workspace',
  accepted: 'was accepted',
  declined: 'was declined',
  revoked: 'was revoked',
  started: 'was started',
  cancelled: 'was cancelled',
  voided: 'was voided',
  amended: 'was amended',
  retired: 'was retired',
  threshold_reached: 'reached a threshold',
  denied: 'was denied',
  read: 'was read',
};

const textLengthMax = 500;
const fieldsMax = 10;

/**
 * The message of a change.
 *
 * @param account the name of its account.
 * @param publicUrl the URL of the console.
 */
export function changeMessage(change: Change, account: string, publicUrl: string): ChatMessage {
  const { kind, verb, name, workspaceName, status, actorName, message, fields } = change;
  const count = change.count ?? 1;
  const subject = [labelOfKind(kind), name].filter((part) => part !== null && part !== '').join(' ');
  const place = workspaceName === null || kind === 'WORKSPACE' ? '' : ` in ${workspaceName}`;
  const what = verb === 'status' && status !== null ? `is now ${status}` : done[verb];
  const author = actorName === null ? '' : ` by ${actorName}`;
  const times = count > 1 ? ` (${count} times)` : '';
  const more = fields.length > fieldsMax ? `, and ${fields.length - fieldsMax} more` : '';
  return {
    sentence: cutText(
      `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}${place} ${what}${author}${times}.`,
      textLengthMax,
    ),
    details: [
      ...(message === null ? [] : [cutText(message, textLengthMax)]),
      ...(fields.length === 0
        ? []
        : [cutText(`Changed: ${fields.slice(0, fieldsMax).join(', ')}${more}`, textLengthMax)]),
    ],
    link: consoleLink(change, account, publicUrl),
  };
}

/** The message of a requested test. */
export function testMessage({ name }: { name: string }): ChatMessage {
  return { sentence: `This is a test of the webhook ${name}.`, details: [], link: undefined };
}

/** The bodies of messages, by format. */
export const chatPayloads = { slack: slackPayload, teams: teamsPayload };

/**
 * A message of an incoming webhook of Slack, with Block Kit (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 * Escaping makes links and mentions such as <!channel> plain text.
 */
function slackPayload({ sentence, details, link }: ChatMessage): string {
  const text = slackText(sentence);
  // Verbatim: URLs and names such as @here or #general in it do not become links or mentions.
  const textObject = (markdown: string) => ({ type: 'mrkdwn', text: markdown, verbatim: true });
  const section = (markdown: string) => ({ type: 'section', text: textObject(markdown) });
  const context = [...details.map(slackText), ...(link === undefined ? [] : [`<${link}|Open in the console>`])];
  const elements = context.map(textObject);
  return JSON.stringify({
    text,
    blocks: [section(text), ...(elements.length === 0 ? [] : [{ type: 'context', elements }])],
    unfurl_links: false,
    unfurl_media: false,
  });
}

/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text". */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A message of a workflow of Microsoft Teams, with an Adaptive Card. Text runs are not read as Markdown, unlike text
 * blocks, so names cannot become links or mentions.
 */
function teamsPayload({ sentence, details, link }: ChatMessage): string {
  const line = (text: string, style: object) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: sentence,
    body: [line(sentence, { weight: 'bolder' }), ...details.map((text) => line(text, { isSubtle: true }))],
    ...(link === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: link }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return JSON.stringify({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] });
}

/** Kinds of resources with pages of their own in the console, by the part of the path. */
const resourcePages: Partial<Record<ChangeKind, string>> = {
  AGENT: 'agents',
  SANDBOX: 'sandboxes',
  JOB: 'jobs',
  VOLUME: 'volumes',
  VPC: 'networks',
};

/** Pages of an account, by what they show. */
const accountPages: Partial<Record<ChangeKind, string>> = {
  ACCOUNT: 'settings',
  MEMBER: 'members',
  INVITATION: 'members',
  API_KEY: 'access',
  OAUTH_CLIENT: 'clients',
  BUDGET: 'budgets',
  USAGE: 'costs',
  BILLING_DIMENSION: 'costs',
  RESOURCE_TYPE: 'costs',
  PRICE: 'costs',
};

/** The page of the console that shows what changed: the resource, or else the activity of its workspace. */
function consoleLink(
  { kind, verb, name, resourceId, workspaceName }: Change,
  account: string,
  publicUrl: string,
): string | undefined {
  const page = (...parts: string[]) => [publicUrl, ...parts.map((part) => encodeURIComponent(part))].join('/');
  const accountPage = accountPages[kind];
  if (accountPage !== undefined) return page('a', account, accountPage);
  if (kind === 'WEBHOOK' && resourceId !== null && verb !== 'deleted') {
    return page('a', account, 'webhooks', globalId('Webhook', resourceId));
  }
  if (workspaceName === null) return undefined;
  if (kind === 'WORKSPACE') return page('w', workspaceName);
  const resourcePage = resourcePages[kind];
  if (resourcePage === undefined || name === null || verb === 'deleted') return page('w', workspaceName, 'activity');
  return page('w', workspaceName, resourcePage, name);
}
