import { z } from 'zod';
import { forbidden, invalidParameter } from '../errors.js';
import { before, notBefore, oneOf } from './change-condition.js';
import type { ChangeCondition } from './change-condition.js';
import type { ChangeAccess } from './change-access.js';
import type { ChangeKind, ChangeAction } from './change-subjects.js';

/** A filter of changes: all criteria must match, each with one of its values. */
export interface ChangeFilter {
  kinds?: readonly ChangeKind[] | null | undefined;
  actions?: readonly ChangeAction[] | null | undefined;
  names?: readonly string[] | null | undefined;
  actors?: readonly string[] | null | undefined;
  clients?: readonly string[] | null | undefined;
  addresses?: readonly string[] | null | undefined;
  /** By name. */
  workspaces?: readonly string[] | null | undefined;
  resourceId?: string | null | undefined;
  time?: { from?: string | null | undefined; to?: string | null | undefined } | null | undefined;
}

/** The maximum number of values in a criterion. */
export const filterValuesMax = 100;

const texts = z
  .array(
    z
      .string()
      .max(1_024, 'must be at most 1024 characters')
      .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  )
  .max(filterValuesMax, `must be at most ${filterValuesMax} items`);

/**
 * The conditions of a filter.
 *
 * @throws 400 `invalid_parameter` naming the invalid criterion; 403 for a workspace that the caller cannot access, and
 * for addresses unless the caller is an admin of the account.
 */
export function filterConditions(
  filter: ChangeFilter | null | undefined,
  { isWholeAccount, workspaces }: Pick<ChangeAccess, 'isWholeAccount' | 'workspaces'>,
): ChangeCondition[] {
  if (filter == null) return [];
  const { resourceId, time } = filter;
  if (filter.addresses != null && !isWholeAccount) {
    throw forbidden('Only an admin of the account can see the client addresses of changes.');
  }
  const workspaceIds = filter.workspaces?.map((name) => {
    const workspace = workspaces.get(name);
    if (workspace === undefined) throw forbidden('The workspace does not exist, or this credential cannot access it.');
    return workspace.id;
  });
  const listed: [keyof ChangeFilter, Parameters<typeof oneOf>[0], readonly string[] | null | undefined][] = [
    ['workspaces', 'workspaceId', workspaceIds],
    ['kinds', 'kind', filter.kinds],
    ['actions', 'verb', filter.actions],
    ['names', 'name', filter.names],
    ['actors', 'actorName', filter.actors],
    ['clients', 'client', filter.clients],
    ['addresses', 'address', filter.addresses],
  ];
  return [
    ...listed.flatMap(([name, field, values]) => (values == null ? [] : [oneOf(field, readTexts(name, values))])),
    ...(resourceId == null ? [] : [oneOf('resourceId', [resourceId])]),
    ...(time?.from == null ? [] : [notBefore(time.from)]),
    ...(time?.to == null ? [] : [before(time.to)]),
  ];
}

function readTexts(name: string, values: readonly string[]): string[] {
  const parsed = texts.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidParameter(`filter.${name}`, issue?.message ?? 'is not valid');
}
