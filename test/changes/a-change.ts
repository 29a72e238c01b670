import type { Change } from '../../src/changes/change.js';

/** A change of the log, with nothing in it but what is given. */
export function aChange(change: Pick<Change, 'sequence'> & Partial<Change>): Change {
  return {
    accountId: 'a',
    time: '2026-11-20T12:00:00.000Z',
    workspaceId: 'w',
    workspaceName: 'w',
    kind: 'AGENT',
    verb: 'updated',
    resourceId: null,
    name: null,
    version: null,
    actorKind: 'user',
    actorName: null,
    client: null,
    requestId: null,
    address: null,
    fields: [],
    status: null,
    message: null,
    count: null,
    position: { key: '', id: '' },
    ...change,
  };
}
