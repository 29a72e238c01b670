// The cells that only jobs have: their latest executions and their schedule.
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { lookOf } from '../look/state.js';
import { Time, useNow } from '../look/time-text.js';
import { exactTime } from '../look/time.js';
import type { ListRow } from './list-rows.js';
import type { RowExecutions } from './row-details.js';
import './job-cells.css';

const schedules = async () => loadPart(() => import('../look/schedule.js'));

interface LastResultsProps {
  row: ListRow;
  executions: RowExecutions | undefined;
  workspace: string;
}

/** The latest ten executions as marks, the newest on the right. Each opens its execution. */
export function LastResults({ row, executions, workspace }: LastResultsProps): ReactElement | null {
  if (executions === undefined) return null;
  if (executions.length === 0) return <span className="quiet">No runs</span>;
  return (
    <span className="results" role="group" aria-label={`Latest executions of ${row.name}, oldest first`}>
      {executions.toReversed().map(({ id, status, metadata }) => {
        const { tone, word } = lookOf(status);
        const text = `${word}, ${exactTime(metadata.startedAt ?? metadata.createdAt)}`;
        return (
          <Link
            key={id}
            to="/w/$workspace/jobs/$name/executions/$id"
            params={{ workspace, name: row.name, id: metadata.id }}
            className={`result ${tone}`}
            title={text}
            aria-label={text}
            tabIndex={-1}
          />
        );
      })}
    </span>
  );
}

export function LastRun({ executions }: Pick<LastResultsProps, 'executions'>): ReactElement | null {
  const latest = executions?.[0];
  return latest === undefined ? null : <Time value={latest.metadata.startedAt ?? latest.metadata.createdAt} />;
}

/** The schedule in words. The expression and its time zone are shown on hover. */
export function Schedule({ row: { schedule } }: { row: ListRow }): ReactElement {
  const cron = schedule?.cron;
  const [text, setText] = useState<string>();
  useEffect(() => {
    if (cron === undefined) return undefined;
    let isCurrent = true;
    const load = async () => {
      const { scheduleText } = await schedules();
      if (isCurrent) setText(scheduleText(cron));
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [cron]);
  if (schedule === undefined) return <>Not scheduled</>;
  return <span title={`${schedule.cron} (${schedule.timeZone})`}>{text ?? schedule.cron}</span>;
}

const minuteMs = 60_000;

export function NextRun({ row: { schedule } }: { row: ListRow }): ReactElement | null {
  const minute = Math.floor(useNow() / minuteMs);
  const { cron, timeZone, isEnabled = false } = schedule ?? {};
  const [runs, setRuns] = useState<readonly Date[]>();
  useEffect(() => {
    if (cron === undefined || timeZone === undefined) return undefined;
    let isCurrent = true;
    const load = async () => {
      const { nextRuns } = await schedules();
      if (isCurrent) setRuns(nextRuns(cron, timeZone, new Date(minute * minuteMs), 1));
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [cron, timeZone, minute]);
  if (cron === undefined) return null;
  // A disabled job does not run.
  if (!isEnabled) return <>Disabled</>;
  if (runs === undefined) return null;
  const [next] = runs;
  return next === undefined ? <>Never</> : <Time value={next.toISOString()} />;
}
