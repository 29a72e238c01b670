import { globalId } from '../pagination/global-id.js';
import { changeId } from '../changes/change.js';
import type { Change } from '../changes/change.js';
import type { ChangeKind, ChangeAction } from '../changes/change-subjects.js';
import { changeSubjects } from '../changes/change-subjects.js';

/** The version of the payload. It changes when a field is removed or changes its meaning. */
export const payloadVersion = '1';

/** The type of a test event. */
export const testEventType = 'webhook.test';

/** Returns the type of an event, such as `agent.updated` or `sandbox_preview.deleted`. */
export function eventTypeOf({ kind, verb }: { kind: ChangeKind; verb: ChangeAction }): string {
  return `${kind.toLowerCase()}.${verb}`;
}

/** Returns the id of an event: the id of its change in the change feed. */
export function eventIdOf(change: Pick<Change, 'accountId' | 'sequence'>): string {
  return globalId('Change', changeId(change));
}

/**
 * Returns the payload of a change: the fields of the change feed without the resource before and after, which may be
 * large.
 *
 * @param showsAddress whether to include the network address of the caller. Only the account's webhooks include it.
 */
export function changePayload(change: Change, showsAddress: boolean): string {
  const { kind, verb, name, workspaceName, resourceId, version, time, client, requestId, address, fields } = change;
  const { status, message, count } = change;
  const typename = changeSubjects[kind].typeName;
  return JSON.stringify({
    type: eventTypeOf(change),
    timestamp: time,
    payloadVersion,
    data: {
      id: eventIdOf(change),
      time,
      action: verb.toUpperCase(),
      kind,
      name,
      workspaceName,
      resource: typename === undefined || resourceId === null ? null : globalId(typename, resourceId),
      actor: { kind: change.actorKind.toUpperCase(), name: change.actorName },
      client,
      requestId,
      ...(showsAddress ? { address } : {}),
      version,
      fields,
      status,
      message,
      count: count ?? 1,
    },
  });
}

/** Returns the payload of a test event. */
export function testPayload(webhook: { id: string; name: string }, time: string): string {
  return JSON.stringify({
    type: testEventType,
    timestamp: time,
    payloadVersion,
    data: { webhook: globalId('Webhook', webhook.id), name: webhook.name },
  });
}
