import { globalId } from '../pagination/global-id.js';
import { changeId } from '../changes/change.js';
import type { Change } from '../changes/change.js';
import type { ChangeKind, ChangeVerb } from '../changes/change-words.js';
import { changeSubjects } from '../changes/change-words.js';

/** What a receiver reads first: it changes when a field goes, or means something else. */
export const payloadVersion = '1';

/** The type of a test, which is about nothing. */
export const testEventType = 'webhook.test';

/** The type of an event: `agent.updated`, `sandbox_preview.deleted`. */
export function eventTypeOf({ kind, verb }: { kind: ChangeKind; verb: ChangeVerb }): string {
  return `${kind.toLowerCase()}.${verb}`;
}

/** The id of an event: that of its change, as the feed has it. */
export function eventIdOf(change: Pick<Change, 'accountId' | 'sequence'>): string {
  return globalId('Change', changeId(change));
}

/**
 * The body that tells a change: what the feed shows of it but for the resource before and after, which may be large.
 *
 * @param workspace the name of the workspace that it is in, if it is still there.
 * @param showsAddress whether it says from which network address it was done: to the account alone.
 */
export function changePayload(change: Change, workspace: string | null, showsAddress: boolean): string {
  const { kind, verb, name, resourceId, version, time, client, requestId, address, fields, status, message } = change;
  const count = change.count ?? 1;
  const typename = changeSubjects[kind].typeName;
  return JSON.stringify({
    type: eventTypeOf(change),
    timestamp: time,
    payloadVersion,
    data: {
      id: eventIdOf(change),
      time,
      verb: verb.toUpperCase(),
      kind,
      name,
      workspace,
      resource: typename === undefined || resourceId === null ? null : globalId(typename, resourceId),
      actor: { kind: change.actorKind.toUpperCase(), name: change.actorName },
      client,
      requestId,
      ...(showsAddress ? { address } : {}),
      version,
      fields,
      status,
      message,
      count,
    },
  });
}

/** The body of a test. */
export function testPayload(webhook: { id: string; name: string }, time: string): string {
  return JSON.stringify({
    type: testEventType,
    timestamp: time,
    payloadVersion,
    data: { webhook: globalId('Webhook', webhook.id), name: webhook.name },
  });
}
