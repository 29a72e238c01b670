// Links to the logs of workloads: as reported by the executor, else from the operator's template (LOGS_URL).
import DataLoader from 'dataloader';
import { authorizeScope } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { readLogsUrls } from '../../lifecycle/reported.js';
import type { LogsUrls } from '../../lifecycle/reported.js';
import { logsUrlFrom } from '../../config/logs-template.js';
import type { LogsPlaceholders } from '../../config/logs-template.js';
import { invalidInput } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';
import type { PartialResource } from '../../store/read/resource.js';

/** The requested time range of logs, each end in RFC 3339. */
export interface LogsRange {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** The length of the default time range. */
const rangeMs = 3_600_000;

/** Included before and after a run, because logs can arrive late and clocks differ. */
const marginMs = 60_000;

/**
 * The link to the logs of an agent or sandbox.
 *
 * @param range the last hour by default.
 * @throws 400 `invalid_input` if the range ends before it starts.
 */
export async function workloadLogsUrl(
  found: PartialResource<object>,
  kind: 'agent' | 'sandbox',
  name: string,
  range: LogsRange,
): Promise<string | null> {
  const { ctx } = found;
  const to = new Date(range.to ?? ctx.now());
  const from = new Date(range.from ?? to.getTime() - rangeMs);
  if (from > to) throw invalidInput([problemAt(['from'], 'invalid_value', 'must not be after `to`')]);
  return (
    new Map(await reportedUrls(found)).get('') ??
    fromTemplate(found, { kind, name, execution: '', task: '', ...timesOf(from, to) })
  );
}

/** The parts of an execution that its links depend on. */
export interface LoggedExecution {
  job: string;
  startedAt: string | null;
  completedAt: string | null;
  taskCount: number;
}

/** The link to the logs of an execution. The URL of its task, if it has only one and the executor reported it. */
export async function executionLogsUrl(
  found: PartialResource<object>,
  { job, startedAt, completedAt, taskCount }: LoggedExecution,
): Promise<string | null> {
  const reported = taskCount === 1 ? (await reportedUrls(found))[0]?.[1] : undefined;
  return reported ?? runUrl(found, { job, task: '', startedAt, completedAt });
}

/** The link to the logs of a task of an execution. */
export async function taskLogsUrl(
  found: PartialResource<object>,
  run: { job: string; task: string; startedAt: string | null; completedAt: string | null },
): Promise<string | null> {
  return new Map(await reportedUrls(found)).get(run.task) ?? runUrl(found, run);
}

/** Null before the run has started, when there are no logs yet. */
function runUrl(
  found: PartialResource<object>,
  { job, task, startedAt, completedAt }: Omit<LoggedExecution, 'taskCount'> & { task: string },
): string | null {
  if (startedAt === null) return null;
  const from = new Date(new Date(startedAt).getTime() - marginMs);
  const to = completedAt === null ? found.ctx.now() : new Date(new Date(completedAt).getTime() + marginMs);
  return fromTemplate(found, { kind: 'job', name: job, execution: found.id, task, ...timesOf(from, to) });
}

function timesOf(from: Date, to: Date): Pick<LogsPlaceholders, 'from' | 'to'> {
  return { from: from.toISOString(), to: to.toISOString() };
}

function fromTemplate(
  { ctx, workspace }: PartialResource<object>,
  values: Omit<LogsPlaceholders, 'workspace'>,
): string | null {
  const { logsTemplate } = ctx;
  return logsTemplate === undefined ? null : logsUrlFrom(logsTemplate, { ...values, workspace: workspace.name });
}

async function reportedUrls({ ctx, id, reported }: PartialResource<object>): Promise<LogsUrls> {
  return reported?.logsUrls ?? urlsByResource(ctx).load(id);
}

/** The reported URLs of resources that the caller may access. */
const urlsByResource = perRequest(
  (ctx: RequestContext) =>
    new DataLoader<string, LogsUrls>(async (ids) => readLogsUrls(authorizeScope(ctx).db, ids), { cache: false }),
);
