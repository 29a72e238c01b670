import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { usePolling } from '../api/use-polling.js';
import { kinds } from '../kinds/kinds.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { toneOf } from '../look/state.js';
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

/** What failed and why, the latest first. */
export function Attention({ states, workspace }: { states: States | undefined; workspace: string }): ReactElement {
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
          <Troubles title="Failing now" troubles={resources} shownMax={5} />
          <Troubles title="Runs that failed in the last 7 days" troubles={runs} shownMax={4} />
        </>
      )}
    </section>
  );
}

interface TroublesProps {
  title: string;
  troubles: readonly Trouble[];
  shownMax: number;
}

function Troubles({ title, troubles, shownMax }: TroublesProps): ReactElement | null {
  const [isAll, setAll] = useState(false);
  const latestFirst = troubles.toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
  if (troubles.length === 0) return null;
  return (
    <>
      <h3>
        {title}
        {troubles.length > shownMax && !isAll && (
          <>
            , the latest {shownMax}{' '}
            <button type="button" className="link-button" onClick={() => setAll(true)}>
              show all {troubles.length}
            </button>
          </>
        )}
      </h3>
      <ul className="trouble">
        {latestFirst.slice(0, isAll ? troubles.length : shownMax).map(({ key, status, link, what, why, at }) => (
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

function isRecent(time: string | null): boolean {
  return time !== null && Date.now() - Date.parse(time) < lately;
}
