// The fields `logsUrl` of workloads, executions and tasks.
import { AgentType } from '../agents/agents.js';
import { builder } from '../builder.js';
import { ExecutionType, TaskType } from '../jobs/job-executions.js';
import { SandboxType } from '../sandboxes/sandboxes.js';
import { RowNeeds } from '../selection.js';
import { executionLogsUrl, taskLogsUrl, workloadLogsUrl } from '../../../resources/executors/logs-urls.js';
import type { PartialResource } from '../../../store/read/resource.js';

const reason = 'the platform has no logs for it: the executor reported none, and LOGS_URL is not set';

const rangeArguments = {
  from: 'Start of the time range (default: one hour before its end). A URL from the executor has its own range.',
  to: 'End of the time range (default: now).',
};

async function logsOf<Row extends { name: string }>(
  found: PartialResource<Row>,
  kind: 'agent' | 'sandbox',
  range: { from?: string | null | undefined; to?: string | null | undefined },
): Promise<string | null> {
  const { name } = await found.read(['name']);
  return workloadLogsUrl(found, kind, name, range);
}

builder.objectField(AgentType, 'logsUrl', (t) =>
  t.string({
    description: `URL of the logs of the agent. Null if ${reason}.`,
    args: {
      from: t.arg({ type: 'DateTime', description: rangeArguments.from }),
      to: t.arg({ type: 'DateTime', description: rangeArguments.to }),
    },
    extensions: { rowNeeds: new RowNeeds(['name']) },
    resolve: (found, range) => logsOf(found, 'agent', range),
  }),
);

builder.objectField(SandboxType, 'logsUrl', (t) =>
  t.string({
    description: `URL of the logs of the sandbox. Null if ${reason}.`,
    args: {
      from: t.arg({ type: 'DateTime', description: rangeArguments.from }),
      to: t.arg({ type: 'DateTime', description: rangeArguments.to }),
    },
    extensions: { rowNeeds: new RowNeeds(['name']) },
    resolve: (found, range) => logsOf(found, 'sandbox', range),
  }),
);

const runColumns = ['job', 'startedAt', 'completedAt', 'stats'] as const;

builder.objectField(ExecutionType, 'logsUrl', (t) =>
  t.string({
    description: `URL of the logs of the execution. Null before it starts, or if ${reason}.`,
    extensions: { rowNeeds: new RowNeeds(runColumns) },
    resolve: async (execution) => {
      const { job, startedAt, completedAt, stats } = await execution.read(runColumns);
      return executionLogsUrl(execution, { job, startedAt, completedAt, taskCount: stats.total });
    },
  }),
);

builder.objectField(TaskType, 'logsUrl', (t) =>
  t.string({
    description: `URL of the logs of the task. Null before it starts, or if ${reason}.`,
    resolve: async ({ metadata: { name, startedAt = null, completedAt = null }, execution }) => {
      const { job } = await execution.read(['job']);
      return taskLogsUrl(execution, { job, task: name, startedAt, completedAt });
    },
  }),
);
