import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import type { ResultOf } from '../api/graphql.js';
import { stateOf, useAnswer } from '../api/use-answer.js';
import { usePolling } from '../api/use-polling.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { formatCount } from '../look/money.js';
import { OptionsState } from '../look/options-state.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import type { Tone } from '../look/state.js';
import { Time, useNow } from '../look/time-text.js';
import { executionsQuery, failedRunsMax } from './overview-queries.js';
import type { States } from './overview-queries.js';

const dayMs = 86_400_000;
const recentDays = 7;

interface Failure {
  key: string;
  at: string | null;
  status: string;
  link: ReactElement;
  type: string;
  reason: string | undefined;
}

interface AttentionProps {
  /** The latest failed resources of each kind. */
  states: States | undefined;
  /** The number of resources of each kind by tone; undefined while loading. */
  counts: Record<Kind, Record<Tone, number>> | undefined;
  workspace: string;
}

/** Failed resources and executions with their reasons, the latest first. */
export function Attention({ states, counts, workspace }: AttentionProps): ReactElement {
  // A whole day, so that the question does not change with each second.
  const day = Math.floor(useNow() / dayMs);
  const since = useMemo(() => new Date((day - recentDays) * dayMs).toISOString(), [day]);
  const asked = useAnswer({ query: executionsQuery, variables: { workspace, since } });
  const [{ data: recent, error }, again] = asked;
  usePolling(again, 15_000);

  const resources = (states?.failing ?? []).map(({ id, kind, name, status, updatedAt, lastEvent }): Failure => ({
    key: id,
    at: lastEvent?.time ?? updatedAt,
    status,
    type: kinds[kind].one,
    reason: lastEvent?.message ?? undefined,
    link: (
      <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="mono">
        {name}
      </Link>
    ),
  }));
  const jobs = recent?.workspace?.jobs ?? undefined;
  const runs = (jobs?.nodes ?? []).flatMap(({ metadata: { name }, executions }) =>
    (executions?.nodes ?? [])
      .filter(({ metadata }) => isRecent(metadata.completedAt ?? metadata.createdAt))
      .map(({ id, status, metadata, stats }): Failure => ({
        key: id,
        at: metadata.completedAt ?? metadata.createdAt,
        status,
        type: 'execution',
        reason:
          stats.failure > 0
            ? `${stats.failure} of ${plural(stats.total, 'task')} failed`
            : `Timed out: ${stats.success} of ${plural(stats.total, 'task')} completed`,
        link: (
          <Link
            to="/w/$workspace/jobs/$name/executions/$id"
            params={{ workspace, name, id: metadata.id }}
            className="mono"
          >
            {name}
          </Link>
        ),
      })),
  );
  const isEmpty = resources.length === 0 && runs.length === 0;
  return (
    <section className="panel" aria-labelledby="attention-title">
      <header>
        <h2 id="attention-title">Needs attention</h2>
      </header>
      {states === undefined || (isEmpty && jobs === undefined && error === undefined) ? (
        <Skeletons />
      ) : isEmpty && jobs !== undefined ? (
        <p className="quiet">Nothing needs attention.</p>
      ) : (
        <>
          <Failures
            title="Failed resources"
            failures={resources}
            shownMax={5}
            total={sumOf(kindNames.map((kind) => counts?.[kind].failed ?? 0))}
            lists={kindNames.flatMap((kind) => {
              const count = counts?.[kind].failed ?? 0;
              return count === 0 ? [] : [<FailedLink key={kind} workspace={workspace} kind={kind} count={count} />];
            })}
          />
          <Failures
            title={`Failed executions, last ${recentDays} days${jobs === undefined ? '' : partText(jobs)}`}
            failures={runs}
            shownMax={4}
            total={undefined}
          />
          {jobs === undefined && <OptionsState of="failed executions" state={stateOf(asked)} />}
        </>
      )}
    </section>
  );
}

/** A link to all failed resources of a kind. */
function FailedLink({ workspace, kind, count }: { workspace: string; kind: Kind; count: number }): ReactElement {
  return (
    <Link to="/w/$workspace/$kind" params={{ workspace, kind }} search={{ state: 'failed' }} className="text-link">
      {formatCount(count)} {count === 1 ? kinds[kind].one : kinds[kind].many.toLowerCase()}
    </Link>
  );
}

interface FailuresProps {
  title: string;
  /** The latest failures. */
  failures: readonly Failure[];
  shownMax: number;
  /** The number of all failures, loaded or not; undefined if unknown. */
  total: number | undefined;
  /** Links to the complete lists, if not all failures are loaded. */
  lists?: readonly ReactElement[];
}

function Failures({ title, failures, shownMax, total, lists = [] }: FailuresProps): ReactElement | null {
  const [isAll, setAll] = useState(false);
  const latestFirst = failures.toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
  if (failures.length === 0) return null;
  const hasMore = total !== undefined && total > failures.length;
  const groups = groupsOf(latestFirst);
  const shown = groups.slice(0, isAll ? groups.length : shownMax);
  const rest = failures.length - shown.reduce((sum, group) => sum + group.length, 0);
  return (
    <>
      <div className="trouble-heading">
        <h3>
          {title}
          {hasMore && `, latest ${formatCount(failures.length)} of ${formatCount(total)}`}
        </h3>
        {rest > 0 && (
          <button type="button" className="link-button" onClick={() => setAll(true)}>
            Show {formatCount(rest)} more
          </button>
        )}
        {hasMore && <span className="trouble-lists">{lists}</span>}
      </div>
      <ul className="trouble">
        {shown.map((group) => (
          <FailureGroup key={group[0]?.key} group={group} />
        ))}
      </ul>
    </>
  );
}

/** The failures of one cause, the latest first. */
function FailureGroup({ group }: { group: readonly Failure[] }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const [latest] = group;
  if (latest === undefined) return null;
  const { status, link, type, reason, at } = latest;
  const named = group.slice(0, isOpen ? group.length : namedMax);
  return (
    <li>
      <StateMark state={status} />
      <span className="trouble-name">
        {group.length === 1 ? (
          <>
            {link} <span className="quiet">{type}</span>
          </>
        ) : (
          <strong>
            {formatCount(group.length)} × {reason}
          </strong>
        )}
      </span>
      <span className="quiet trouble-time">{at !== null && <Time value={at} />}</span>
      <span className="trouble-why">
        {group.length === 1
          ? reason
          : named.map((each, index) => (
              <span key={each.key}>
                {index > 0 && ', '}
                {each.link} <span className="quiet">{each.type}</span>
              </span>
            ))}
        {group.length > named.length && (
          <button type="button" className="link-button more-named" onClick={() => setOpen(true)}>
            and {formatCount(group.length - named.length)} more
          </button>
        )}
      </span>
    </li>
  );
}

/** How many of a group are named before "and 9 more". */
const namedMax = 3;

/** Failures with the same state and reason together, in the order of the latest of each group. */
export function groupsOf<Each extends { status: string; reason: string | undefined }>(
  latestFirst: readonly Each[],
): Each[][] {
  const groups = new Map<unknown, Each[]>();
  for (const failure of latestFirst) {
    // Without a reason, a failure has no known cause in common with others.
    const key = failure.reason === undefined ? failure : `${failure.status} ${failure.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  return [...groups.values()];
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function isRecent(time: string | null): boolean {
  return time !== null && Date.now() - Date.parse(time) < recentDays * dayMs;
}

type Jobs = NonNullable<NonNullable<ResultOf<typeof executionsQuery>['workspace']>['jobs']>;

/** Which of the failed executions are loaded; empty if all of them are. */
function partText({ nodes, totalCount }: Jobs): string {
  if (totalCount > nodes.length) return ` of the newest ${formatCount(nodes.length)} of ${plural(totalCount, 'job')}`;
  const isCut = nodes.some(({ executions }) => executions?.pageInfo.hasNextPage === true);
  return isCut ? `, at most ${failedRunsMax} of each job` : '';
}
