import { describe, expect, it } from 'vitest';
import {
  changesOf,
  draftOf,
  emptyDraft,
  rebasedDraft,
  withoutEmpty,
} from '../../../src/console/web/webhooks/webhook-draft.js';
import { eventGroups, eventPresets, presetOf, receivesAlerts } from '../../../src/console/web/webhooks/event-groups.js';
import type { WebhookDraft } from '../../../src/console/web/webhooks/webhook-draft.js';
import type { Webhook } from '../../../src/console/web/webhooks/webhook-queries.js';
import { countedWord, sendsText, stateOf } from '../../../src/console/web/webhooks/webhook-texts.js';

const noFilter = {
  kinds: null,
  actions: null,
  names: null,
  actors: null,
  clients: null,
  addresses: null,
  workspaces: null,
  resource: null,
};

const webhook: Webhook = {
  id: 'an-id',
  name: 'pager',
  url: 'https://pager.example.com',
  format: 'STANDARD',
  status: 'ACTIVE',
  pauseReason: null,
  pausedAt: null,
  retryAt: null,
  previousSecretExpiresAt: null,
  version: 3,
  createdAt: '2026-11-20T12:00:00.000Z',
  createdBy: null,
  updatedAt: '2026-11-20T12:00:00.000Z',
  workspace: null,
  filter: { ...noFilter, kinds: ['AGENT'], addresses: ['192.0.2.7'] },
};

describe('The draft of a webhook', () => {
  it('sends only changed fields, and keeps fields that the form does not show', () => {
    const before = draftOf(webhook);
    expect(changesOf(before, before)).toEqual({});
    expect(changesOf(before, { ...before, name: 'night' })).toEqual({ name: 'night' });
    const narrowed = { ...before, filter: withoutEmpty({ ...before.filter, actions: ['DELETED'], kinds: [] }) };
    expect(changesOf(before, narrowed)).toEqual({ filter: { actions: ['DELETED'], addresses: ['192.0.2.7'] } });
  });

  it('ignores the order of its fields', () => {
    const before = draftOf(webhook);
    const turned = { ...before, filter: Object.fromEntries(Object.entries(before.filter).toReversed()) };
    expect(changesOf(before, turned)).toEqual({});
  });

  it('is merged with concurrent changes field by field', () => {
    const before = draftOf(webhook);
    const theirs = { ...before, url: 'https://other.example.com', name: 'theirs' };
    expect(rebasedDraft(before, { ...before, name: 'mine' }, theirs)).toEqual({ ...theirs, name: 'mine' });
  });

  it('is merged with concurrent changes of other parts of the filter', () => {
    const before = { ...draftOf(webhook), filter: { kinds: ['AGENT'], names: ['triage'] } } satisfies WebhookDraft;
    const mine = { ...before, filter: { kinds: ['AGENT'], actions: ['DELETED'] } } satisfies WebhookDraft;
    const theirs = { ...before, filter: { kinds: ['JOB'], names: ['triage'], actors: ['ana'] } } satisfies WebhookDraft;
    expect(rebasedDraft(before, mine, theirs).filter).toEqual({
      kinds: ['JOB'],
      actions: ['DELETED'],
      actors: ['ana'],
    });
  });

  it('is empty initially', () => {
    expect(changesOf(emptyDraft, emptyDraft)).toEqual({});
  });
});

describe('The description of a webhook', () => {
  it.each([
    [{}, 'all changes'],
    [{ kinds: ['AGENT'] }, 'agents'],
    [
      { kinds: ['AGENT', 'JOB', 'VPC'], actions: ['CREATED', 'DELETED'] },
      'agents, jobs and networks, created or deleted',
    ],
    [{ actions: ['STATUS'], names: ['a, b'] }, 'all changes, status changed, named a, b'],
    [{ workspaces: [] }, 'all changes, in nothing'],
    [{ actors: ['ann@example.com'], resource: 'an-id' }, 'all changes, of one resource, by ann@example.com'],
  ] as const)('%j is described as “%s”', (filter, text) => {
    expect(sendsText({ ...noFilter, ...structuredClone(filter) } as Webhook['filter'])).toBe(text);
  });

  it('distinguishes a webhook that a user paused from one that was suspended after failures', () => {
    expect(stateOf(webhook)).toBe('ACTIVE');
    expect(stateOf({ ...webhook, retryAt: '2026-11-20T12:00:00.000Z' })).toBe('RETRYING');
    expect(stateOf({ ...webhook, status: 'PAUSED', pauseReason: 'by ann@example.com' })).toBe('PAUSED');
    expect(stateOf({ ...webhook, status: 'PAUSED', pauseReason: 'the URL returned 410 (Gone)' })).toBe('SUSPENDED');
  });

  it('has the singular and plural of each kind', () => {
    const kinds = ['VPC', 'EGRESS_IP', 'SANDBOX', 'JOB_EXECUTION', 'USAGE'];
    expect(kinds.map((kind) => countedWord(1, kind))).toEqual([
      'network',
      'egress IP',
      'sandbox',
      'execution',
      'usage',
    ]);
    expect(kinds.map((kind) => countedWord(2, kind)).slice(0, 2)).toEqual(['networks', 'egress IPs']);
  });

  it('groups the kinds of changes, and keeps unknown kinds', () => {
    const kinds = ['ACCOUNT', 'WEBHOOK', 'JOB', 'AGENT', 'BUDGET', 'SOMETHING_NEW'];
    expect(eventGroups(kinds)).toEqual([
      { name: 'Resources', kinds: ['AGENT', 'JOB'] },
      { name: 'Billing', kinds: ['BUDGET'] },
      { name: 'Other', kinds: ['ACCOUNT', 'SOMETHING_NEW', 'WEBHOOK'] },
    ]);
  });

  it('recognizes the presets of events', () => {
    expect(presetOf({ actions: ['THRESHOLD_REACHED'], kinds: ['BUDGET'] })).toBe('Budgets');
    expect(presetOf({ kinds: [...eventPresets.Security.kinds].toReversed() })).toBe('Security');
    expect(presetOf({ kinds: ['BUDGET'] })).toBeUndefined();
    expect(presetOf({})).toBeUndefined();
  });

  it('knows which filters let the alerts of a budget through', () => {
    expect(receivesAlerts(noFilter, 'all')).toBe(true);
    expect(receivesAlerts({ ...noFilter, kinds: ['BUDGET'], actions: ['THRESHOLD_REACHED'] }, 'all')).toBe(true);
    expect(receivesAlerts({ ...noFilter, kinds: ['AGENT'] }, 'all')).toBe(false);
    expect(receivesAlerts({ ...noFilter, actions: ['UPDATED'] }, 'all')).toBe(false);
    expect(receivesAlerts({ ...noFilter, names: ['other'] }, 'all')).toBe(false);
    expect(receivesAlerts({ ...noFilter, actors: ['ana'] }, 'all')).toBe(false);
  });
});
