import { z } from 'zod';
import { timeText } from '../../../schema/time.js';
import { costsByStatus, nanoOf, startOfPage, unknownAccount, usdOf } from '../costs-by-status.js';
import { periodAndCursor, withPeriod } from '../period-cursor.js';
import { ToolError } from '../tool-call.js';
import type { ToolCall, Values } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import {
  fittingPage,
  hasMore,
  inputItemsMax,
  listedIn,
  mapIn,
  mapsIn,
  nameInput,
  pageInput,
  timeInput,
  withoutEmpty,
} from '../tool-result.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The dimensions of groups, with the field of each. */
const fieldOf = {
  WORKSPACE: 'workspaceName',
  RESOURCE_TYPE: 'resourceType',
  RESOURCE_NAME: 'resourceName',
  RESOURCE_UUID: 'resourceUuid',
  BILLING_DIMENSION: 'billingDimension',
} as const;

const dimensions = ['WORKSPACE', 'RESOURCE_TYPE', 'RESOURCE_NAME', 'RESOURCE_UUID', 'BILLING_DIMENSION'] as const;

type Dimension = (typeof dimensions)[number];

export const queryCosts = defineTool({
  name: 'query_costs',
  title: 'Query costs',
  description:
    'Returns what an account cost in a period: the total, and the cost by groups such as workspace, resource type or a ' +
    'label such as team, most expensive first. With compare, returns by how much the cost of each group rose since the ' +
    'period before, greatest rise first. With statuses, returns the cost of the resources that have one of them now, such as ' +
    'failed agents. Amounts are US dollars as exact decimals.',
  input: z.strictObject({
    account: nameInput.optional().describe('Name of the account. Required if the credential has several.'),
    startTime: timeInput
      .optional()
      .describe('Start, such as 2026-11-01T00:00:00Z (default: the full hour 30 days before the end).'),
    endTime: timeInput.optional().describe('End, exclusive (default: the end of the current hour).'),
    groupBy: z
      .array(z.enum(dimensions))
      .max(inputItemsMax)
      .optional()
      .describe('What to group by (default: RESOURCE_TYPE, or only groupByLabels).'),
    groupByLabels: z
      .array(nameInput)
      .max(inputItemsMax)
      .default([])
      .describe('Keys of labels to group by, such as team (at most 2). A group without the label has no value of it.'),
    labels: z
      .record(nameInput, nameInput)
      .default({})
      .describe('Only the cost of resources that had all these labels.'),
    compare: z.boolean().default(false).describe('Compares each group with the period of the same length before.'),
    statuses: z
      .array(nameInput)
      .max(inputItemsMax)
      .optional()
      .describe('Only the cost of resources with one of these statuses now, such as FAILED. Needs resourceType.'),
    workspace: nameInput.optional().describe('Only the cost of this workspace.'),
    resourceType: nameInput.optional().describe('Only the cost of this resource type, such as agent.'),
    resolution: z
      .enum(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'])
      .optional()
      .describe('Adds the cost of each hour, day, week or month to every group. Not with compare.'),
    timeZone: nameInput.optional().describe('Time zone of days, weeks and months (default: UTC).'),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (
    call,
    { account, maxBytes, startTime, endTime, compare, statuses, first, after: nextCursor, ...input },
  ) => {
    const previous = nextCursor === undefined ? undefined : periodAndCursor(nextCursor);
    const after = previous?.cursor;
    const end = endTime ?? previous?.endTime ?? endOfHour(call.now());
    const start = startTime ?? previous?.startTime ?? startBefore(end);
    if (statuses !== undefined) {
      const { workspace, resourceType, groupByLabels, labels, groupBy, resolution } = input;
      const isMore = compare || groupByLabels.length > 0 || Object.keys(labels).length > 0;
      if (isMore || groupBy !== undefined || resolution !== undefined) {
        throw new ToolError(
          'invalid_parameter',
          'statuses can only be combined with resourceType, workspace and a period.',
        );
      }
      const question = { account, workspace, resourceType, statuses, startTime: start, endTime: end };
      return costsByStatus(call, question, { first, after, maxBytes });
    }
    const question = {
      ...input,
      groupBy: input.groupBy ?? (input.groupByLabels.length === 0 ? ['RESOURCE_TYPE'] : []),
      labels: Object.entries(input.labels).map(([key, value]) => ({ key, in: [value] })),
      startTime: start,
      endTime: end,
    };
    if (compare && input.resolution !== undefined) {
      throw new ToolError('invalid_parameter', 'compare cannot be combined with resolution.');
    }
    if (compare) return compareCosts(call, account, question, { first, after, maxBytes });
    const withTimeseries = input.resolution !== undefined;
    const { head, page } = await readCosts(call, account, { ...question, first, after, withTimeseries });
    const listed = withPeriod(listedIn(page, groupOf), start, end);
    return fittingPage(head, 'groups', listed, hasMore(page), maxBytes);
  },
});

/** The costs of one account: what all groups share, and a page of groups. @throws {ToolError} */
async function readCosts(
  call: ToolCall,
  account: string | undefined,
  variables: Values,
): Promise<{ head: Values; page: Values }> {
  const { data, errors, denied } = await call.execute('query-costs', { variables });
  const accounts = mapsIn(mapIn(data['viewer'])['accounts']);
  const names = accounts.map(({ name }) => String(name));
  const found = accounts.find(({ name }) => name === account) ?? (accounts.length === 1 ? accounts[0] : undefined);
  if (found === undefined || (account !== undefined && found['name'] !== account)) {
    throw unknownAccount(names);
  }
  if (found['metrics'] == null)
    throw denied ?? errors[0] ?? new ToolError('forbidden', 'This credential cannot read costs.');
  const { entries, summary, ...window } = mapIn(found['metrics']);
  const page = mapIn(entries);
  const head = withoutEmpty({
    account: found['name'],
    dataThrough: found['dataThrough'],
    ...window,
    ...mapIn(summary),
    totalCount: page['totalCount'],
  });
  return { head, page };
}

/** A group, with its labels as a map. A label without a value is left out. */
function groupOf({ labels, ...group }: Values): Values {
  const pairs = mapsIn(labels).flatMap(({ key, value }) => (value == null ? [] : [[String(key), value]]));
  return withoutEmpty({ ...group, labels: Object.fromEntries(pairs) });
}

/** The groups of a period and of the period before: the most that are compared, and how many are read at once. */
const comparedGroupsMax = 1_000;
const comparedAtOnce = 100;

interface Compared {
  group: Values;
  nano: bigint;
  nanoBefore: bigint;
}

/** Compares the groups of a period with those of the period of the same length before. */
async function compareCosts(
  call: ToolCall,
  account: string | undefined,
  question: Values & { startTime: string; endTime: string; groupBy: Dimension[] },
  { first, after, maxBytes }: { first: number; after: string | undefined; maxBytes: number },
): Promise<Values> {
  const { startTime, endTime, ...asked } = question;
  const [startMs, endMs] = [millisecondsOf('startTime', startTime), millisecondsOf('endTime', endTime)];
  const startBeforeThat = new Date(2 * startMs - endMs).toISOString();
  const now = await readAllGroups(call, account, { ...asked, startTime, endTime });
  const before = await readAllGroups(call, account, { ...asked, startTime: startBeforeThat, endTime: startTime });
  const compared = new Map<string, Compared>();
  const add = (groups: readonly Values[], field: 'nano' | 'nanoBefore') => {
    for (const { cost, usage: _usage, ...group } of groups) {
      // Other fields are there if all of a group has them, which can differ between the periods.
      const key = JSON.stringify([...asked.groupBy.map((dimension) => group[fieldOf[dimension]]), group['labels']]);
      const known = compared.get(key) ?? { group, nano: 0n, nanoBefore: 0n };
      compared.set(key, known);
      known[field] += nanoOf(cost);
    }
  };
  add(now.groups, 'nano');
  add(before.groups, 'nanoBefore');
  const sorted = [...compared.values()].toSorted((one, other) => {
    const difference = other.nano - other.nanoBefore - (one.nano - one.nanoBefore);
    return difference === 0n ? 0 : difference > 0n ? 1 : -1;
  });
  const from = startOfPage(after);
  const listed = sorted.slice(from, from + first).map(({ group, nano, nanoBefore }, index) => ({
    item: { ...group, cost: usdOf(nano), costBefore: usdOf(nanoBefore), change: usdOf(nano - nanoBefore) },
    cursor: String(from + index + 1),
  }));
  const head = {
    ...now.head,
    startTimeBefore: startBeforeThat,
    totalCostBefore: before.head['totalCost'],
    totalCount: sorted.length,
  };
  const hasMoreGroups = from + first < sorted.length;
  return fittingPage(head, 'groups', withPeriod(listed, startTime, endTime), hasMoreGroups, maxBytes);
}

/** Reads all groups of one snapshot. @throws {ToolError} for more than can be compared */
async function readAllGroups(
  call: ToolCall,
  account: string | undefined,
  variables: Values,
): Promise<{ head: Values; groups: Values[] }> {
  const groups: Values[] = [];
  for (let after: string | undefined; ;) {
    const { head, page } = await readCosts(call, account, {
      ...variables,
      first: comparedAtOnce,
      after,
      withTimeseries: false,
    });
    if (Number(page['totalCount']) > comparedGroupsMax) {
      throw new ToolError(
        'invalid_parameter',
        `compare needs at most ${comparedGroupsMax} groups (got ${String(page['totalCount'])}). Group by less, or filter.`,
      );
    }
    const listed = listedIn(page, groupOf);
    groups.push(...listed.map(({ item }) => item));
    after = listed.at(-1)?.cursor;
    if (!hasMore(page)) return { head, groups };
  }
}

/** A full hour, so that calls within an hour have the same period. It includes the usage until now. */
function endOfHour(now: Date): string {
  return new Date((Math.floor(now.getTime() / hourMs) + 1) * hourMs).toISOString();
}

/** A full hour, because usage of closed months is stored by the hour. */
function startBefore(end: string): string {
  const endMs = Math.floor(millisecondsOf('endTime', end) / hourMs) * hourMs;
  return new Date(endMs - 30 * dayMs).toISOString();
}

function millisecondsOf(name: 'startTime' | 'endTime', text: string): number {
  const time = timeText.safeParse(text);
  if (time.success) return Date.parse(time.data);
  throw new ToolError('invalid_parameter', `${name} must be a time such as 2026-11-01T00:00:00Z.`);
}
