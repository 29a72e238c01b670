// The costs of the resources that have one of some statuses now, such as those of failed agents.
import { costDigits, decimalFromUnits } from '../../metering/amounts.js';
import { withPeriod } from './period-cursor.js';
import { ToolError } from './tool-call.js';
import type { ToolCall, Values } from './tool-call.js';
import { fittingPage, hasMore, listedIn, mapIn, mapsIn } from './tool-result.js';

/** The lists of the resource types that have a status and a cost. */
const lists = { agent: 'agents', sandbox: 'sandboxes', job: 'jobs', volume: 'volumes' } as const;

type ListedType = keyof typeof lists;

const isListed = (type: string | undefined): type is ListedType => type !== undefined && Object.hasOwn(lists, type);

/** The most resources whose costs are added up. */
const resourcesMax = 2_000;
const workspacesMax = 100;

const places = 'query Places { viewer { accounts { name } workspaces { name account { name } } } }';

function documentOf(type: ListedType): string {
  return `query CostsByStatus($workspace: String!, $statuses: [Status!]!, $startTime: DateTime!, $endTime: DateTime!, $after: String) {
    page: ${lists[type]}(workspace: $workspace, first: 100, after: $after, filter: { status: { in: $statuses } }) {
      pageInfo { hasNextPage }
      edges { cursor node { metadata { name } uuid status cost(startTime: $startTime, endTime: $endTime) { total } } }
    }
  }`;
}

export interface StatusQuestion {
  account: string | undefined;
  workspace: string | undefined;
  resourceType: string | undefined;
  statuses: readonly string[];
  startTime: string;
  endTime: string;
}

/**
 * Returns the total cost of the resources with one of the statuses, and the most expensive of them.
 *
 * @throws {ToolError} for a resource type without statuses, an inaccessible account or workspace, or too many resources.
 */
export async function costsByStatus(
  call: ToolCall,
  { account, workspace, resourceType, statuses, startTime, endTime }: StatusQuestion,
  { first, after, maxBytes }: { first: number; after: string | undefined; maxBytes: number },
): Promise<Values> {
  if (!isListed(resourceType)) {
    throw new ToolError(
      'invalid_parameter',
      `With statuses, resourceType must be one of: ${Object.keys(lists).join(', ')}.`,
    );
  }
  const { name, workspaces } = await accountOf(call, account);
  const chosen = workspace === undefined ? workspaces : workspaces.filter((each) => each === workspace);
  if (chosen.length === 0 || chosen.length > workspacesMax) {
    const rule =
      chosen.length === 0
        ? 'must be a workspace of the account'
        : `is required, because there are more than ${workspacesMax}`;
    throw new ToolError('invalid_parameter', `workspace ${rule}.`);
  }
  const found: { item: Values; nano: bigint }[] = [];
  for (const each of chosen) {
    for (let from: string | undefined, isLast = false; !isLast;) {
      const variables = { workspace: each, statuses, startTime, endTime, after: from };
      const { data, errors } = await call.executeText(documentOf(resourceType), { variables });
      if (errors[0] !== undefined) throw errors[0];
      const page = mapIn(data['page']);
      const listed = listedIn(page, (node) => node);
      for (const { item } of listed) {
        const cost = String(mapIn(item['cost'])['total']);
        const group = {
          workspaceName: each,
          resourceName: mapIn(item['metadata'])['name'],
          resourceUuid: item['uuid'],
        };
        found.push({ item: { ...group, status: item['status'], cost }, nano: nanoOf(cost) });
      }
      if (found.length > resourcesMax) {
        throw new ToolError(
          'invalid_parameter',
          `statuses must match at most ${resourcesMax} resources. Choose a workspace.`,
        );
      }
      from = listed.at(-1)?.cursor;
      isLast = !hasMore(page);
    }
  }
  const sorted = found.toSorted((one, other) => (one.nano === other.nano ? 0 : one.nano < other.nano ? 1 : -1));
  const total = found.reduce((sum, { nano }) => sum + nano, 0n);
  const start = startOfPage(after);
  const listed = sorted
    .slice(start, start + first)
    .map(({ item }, index) => ({ item, cursor: String(start + index + 1) }));
  const head = { account: name, startTime, endTime, totalCost: usdOf(total), totalCount: sorted.length };
  const hasMoreResources = start + first < sorted.length;
  return fittingPage(head, 'groups', withPeriod(listed, startTime, endTime), hasMoreResources, maxBytes);
}

/** Returns the account with this name, or the only one, with the workspaces that the caller can access. */
async function accountOf(call: ToolCall, account: string | undefined): Promise<{ name: string; workspaces: string[] }> {
  const { data } = await call.executeText(places);
  const viewer = mapIn(data['viewer']);
  const names = mapsIn(viewer['accounts']).map(({ name }) => String(name));
  const name = account ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) throw unknownAccount(names);
  const own = mapsIn(viewer['workspaces']).filter((each) => mapIn(each['account'])['name'] === name);
  return { name, workspaces: own.map((each) => String(each['name'])) };
}

export function unknownAccount(names: readonly string[]): ToolError {
  return new ToolError('invalid_parameter', `account must be one of: ${names.slice(0, 20).join(', ')}.`);
}

/** The position of a page in a list that is sorted here. @throws {ToolError} */
export function startOfPage(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,6}$/.test(after)) return Number(after);
  throw new ToolError('cursor_invalid', 'after must be the nextCursor of the previous result.');
}

/** Parses a cost (USD) to nano-dollars. */
export function nanoOf(cost: unknown): bigint {
  const [whole = '0', fraction = ''] = String(cost).split('.');
  return BigInt(whole + fraction.padEnd(costDigits, '0'));
}

/** Formats nano-dollars as USD. */
export function usdOf(nano: bigint): string {
  return decimalFromUnits(nano, costDigits);
}
