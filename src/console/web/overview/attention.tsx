import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { usePolling } from '../api/use-polling.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { formatCount } from '../look/money.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { toneOf } from '../look/state.js';
import type { Tone } from '../look/state.js';
import { Time } from '../look/time-text.js';
import { executionsQuery } from './overview-queries.js';
import type { States } from './overview-queries.js';

const lately = 7 * 86_400_000;

interface Trouble {
  key: string;
  at: string | null;
  status: string;
  link: ReactElement;
  what: string;
  why: string | undefined;
}

interface AttentionProps {
  /** The latest resources of each kind that failed. */
  states: States | undefined;
  /** How many there are of each kind; undefined until that is known. */
  counts: Record<Kind, Record<Tone, number>> | undefined;
  workspace: string;
}

/** What failed and why, the latest first. */
export function Attention({ states, counts, workspace }: AttentionProps): ReactElement {
  const [{ data: recent }, again] = useQuery({ query: executionsQuery, variables: { workspace } });
  usePolling(again, 15_000);

  const resources = (states?.failing ?? []).map(({ id, kind, name, status, updatedAt, lastEvent }): Trouble => ({
    key: id,
    at: lastEvent?.time ?? updatedAt,
    status,
    what: kinds[kind].one,
    why: lastEvent?.message ?? undefined,
    link: (
      <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="mono">
        {name}
      </Link>
    ),
  }));
  const runs = (recent?.workspace?.jobs.nodes ?? []).flatMap(({ metadata: { name }, executions }) =>
    executions.nodes
      .filter(
        ({ status, metadata }) => toneOf(status) === 'broken' && isRecent(metadata.completedAt ?? metadata.createdAt),
      )
      .map(({ id, status, metadata, stats }): Trouble => ({
        key: id,
        at: metadata.completedAt ?? metadata.createdAt,
        status,
        what: 'execution',
        why:
          stats.failure > 0
            ? `${stats.failure} of ${stats.total} tasks failed`
            : `Took longer than it may; ${stats.success} of ${stats.total} tasks were done`,
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
  const isQuiet = resources.length === 0 && runs.length === 0;
  return (
    <section className="panel" aria-labelledby="attention-title">
      <header>
        <h2 id="attention-title">Needs attention</h2>
      </header>
      {states === undefined ? (
        <Skeletons />
      ) : isQuiet ? (
        <p className="quiet">Nothing failed. It shows here, with its reason, when something does.</p>
      ) : (
        <>
          <Troubles
            title="Failing now"
            troubles={resources}
            shownMax={5}
            total={sumOf(kindNames.map((kind) => counts?.[kind].broken ?? 0))}
            lists={kindNames.flatMap((kind) => {
              const count = counts?.[kind].broken ?? 0;
              return count === 0 ? [] : [<FailingLink key={kind} workspace={workspace} kind={kind} count={count} />];
            })}
          />
          <Troubles title="Runs that failed in the last 7 days" troubles={runs} shownMax={4} total={undefined} />
        </>
      )}
    </section>
  );
}

/** The way to all resources of a kind that failed. */
function FailingLink({ workspace, kind, count }: { workspace: string; kind: Kind; count: number }): ReactElement {
  return (
    <Link to="/w/$workspace/$kind" params={{ workspace, kind }} search={{ state: 'broken' }} className="text-link">
      {formatCount(count)} {count === 1 ? kinds[kind].one : kinds[kind].many.toLowerCase()}
    </Link>
  );
}

interface TroublesProps {
  title: string;
  /** The latest of them. */
  troubles: readonly Trouble[];
  shownMax: number;
  /** How many there are, whether they have been loaded or not; undefined where that is not known. */
  total: number | undefined;
  /** The ways to all of them, where more can exist than have been loaded. */
  lists?: readonly ReactElement[];
}

function Troubles({ title, troubles, shownMax, total, lists = [] }: TroublesProps): ReactElement | null {
  const [isAll, setAll] = useState(false);
  const latestFirst = troubles.toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
  if (troubles.length === 0) return null;
  const hasMore = total !== undefined && total > troubles.length;
  const shown = latestFirst.slice(0, isAll && !hasMore ? troubles.length : shownMax);
  const rest = troubles.length - shown.length;
  return (
    <>
      <h3>
        {title}
        {rest > 0 && `, the latest ${shown.length}`}
        {rest > 0 && total !== undefined && ` of ${formatCount(Math.max(total, troubles.length))}`}{' '}
        {rest > 0 && !hasMore && (
          <button type="button" className="link-button" onClick={() => setAll(true)}>
            show {rest} more
          </button>
        )}
        {hasMore && <span className="trouble-lists">{lists}</span>}
      </h3>
      <ul className="trouble">
        {shown.map(({ key, status, link, what, why, at }) => (
          <li key={key}>
            <StateMark state={status} />
            <span className="trouble-name">
              {link} <span className="quiet">{what}</span>
            </span>
            <span className="quiet trouble-time">{at !== null && <Time value={at} />}</span>
            <span className="trouble-why">{why}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function isRecent(time: string | null): boolean {
  return time !== null && Date.now() - Date.parse(time) < lately;
}
