import type { ReactElement } from 'react';
import { ToneIcon } from '../look/state-mark.js';
import { ViewLogs } from '../look/view-logs.js';
import type { Tone } from '../look/state.js';
import { exactTime, formatDuration, formatDurationTicks } from '../look/time.js';
import { useNow } from '../look/time-text.js';
import type { Execution, Task } from './execution-query.js';
import './task-axis.css';

const tickShares = [0, 0.25, 0.5, 0.75, 1];

/** Each task as a bar from its scheduling to its end. The lighter part is the waiting time. */
export function TaskAxis({ execution }: { execution: Execution }): ReactElement {
  const { tasks, metadata } = execution;
  const nowMs = useNow();
  const times = tasks.flatMap(({ metadata: task }) => [
    task.scheduledAt,
    task.createdAt,
    task.startedAt,
    task.completedAt,
  ]);
  const known = [...times, metadata.startedAt, metadata.completedAt].flatMap((time) =>
    time === null ? [] : [Date.parse(time)],
  );
  const isRunning =
    metadata.completedAt === null &&
    tasks.some(({ metadata: task }) => task.startedAt !== null && task.completedAt === null);
  const fromMs = Math.min(...known);
  const toMs = Math.max(...known, ...(isRunning ? [nowMs] : []), fromMs + 1_000);
  const part = (ms: number) => `${((ms - fromMs) / (toMs - fromMs)) * 100}%`;
  const labels = formatDurationTicks(tickShares.map((share) => (toMs - fromMs) * share));
  return (
    <div className={tasks.some(({ logsUrl }) => logsUrl !== null) ? 'task-axis with-logs' : 'task-axis'}>
      <p className="task-scale quiet" aria-hidden="true">
        {tickShares.map((share, index) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {labels[index]}
          </span>
        ))}
      </p>
      <ul>
        {tasks.map((task) => {
          const { name, scheduledAt, startedAt, completedAt } = task.metadata;
          const tone = toneOfTask(task);
          const startMs = startedAt === null ? undefined : Date.parse(startedAt);
          const endMs =
            completedAt === null
              ? startMs === undefined
                ? undefined
                : Math.min(nowMs, toMs)
              : Date.parse(completedAt);
          const waitMs = scheduledAt === null ? startMs : Date.parse(scheduledAt);
          const condition = conditionOf(task);
          return (
            <li key={name}>
              <span className="task-name">
                <ToneIcon tone={tone} />
                <span className="mono cut" title={name}>
                  {name}
                </span>
              </span>
              <span className="task-track">
                {waitMs !== undefined && startMs !== undefined && startMs > waitMs && (
                  <span className="task-wait" style={{ left: part(waitMs), right: `calc(100% - ${part(startMs)})` }} />
                )}
                {startMs !== undefined && endMs !== undefined && (
                  <span
                    className={`task-bar ${tone}`}
                    style={{ left: part(startMs), right: `calc(100% - ${part(endMs)})` }}
                    title={`${startedAt === null ? '' : exactTime(startedAt)}${completedAt === null ? '' : ` to ${exactTime(completedAt)}`}`}
                  />
                )}
              </span>
              <span className="task-time quiet">
                {startMs === undefined || endMs === undefined
                  ? 'Waiting'
                  : formatDuration(Math.max(endMs - startMs, 0))}
              </span>
              {task.logsUrl !== null && (
                <span className="task-logs">
                  <ViewLogs url={task.logsUrl} label={`View logs of ${name}`} isInline />
                </span>
              )}
              {condition !== undefined && <span className="task-condition quiet">{condition}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The tone of a task, by its latest condition. */
export function toneOfTask({ metadata, conditions }: Task): Tone {
  const last = conditions.at(-1);
  const text = `${last?.type ?? ''} ${last?.state ?? ''} ${last?.reason ?? ''} ${last?.severity ?? ''}`.toLowerCase();
  if (/fail|error|timeout|exceeded/.test(text)) return 'failed';
  if (/cancel/.test(text)) return 'inactive';
  if (metadata.completedAt !== null) return 'healthy';
  return metadata.startedAt === null ? 'inactive' : 'in-progress';
}

/** The text of the latest condition. */
function conditionOf({ conditions }: Task): string | undefined {
  const last = conditions.at(-1);
  if (last === undefined) return undefined;
  const parts = [last.reason, last.message].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}
