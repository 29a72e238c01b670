import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { metricsQuery, nanosOf, pastDays, totalOf } from '../costs/metrics.js';
import type { Entry } from '../costs/metrics.js';
import { useUsedLabels } from '../costs/use-used-labels.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { kindBilledAs } from '../kinds/kinds.js';
import { readStored, store } from '../lists/browser-storage.js';
import { labelFilterText } from '../lists/label-filter.js';
import { nanoFrom } from '../look/decimal.js';
import { changeOf, formatChange } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { FailureNotice } from '../look/notice.js';
import { wordOf } from '../look/labels.js';
import { OptionsState } from '../look/options-state.js';
import { Skeletons } from '../look/skeletons.js';

/** Not part of the first script. */
const Choice = lazy(async () => ({ default: (await loadPart(() => import('../look/choice.js'))).Choice<string> }));

const shownMax = 8;
const days = 7;

/** The most expensive resources, or values of a label, of the last 7 days, compared to the previous 7 days. */
export function TopCosts({ account, workspace }: { account: ViewerAccount; workspace: string }): ReactElement {
  const isAdmin = account.viewerRole === 'ADMIN';
  const own = useViewer().workspaces.filter((each) => each.account.id === account.id);
  // Only account admins can ask for the costs of one workspace.
  const isOfWorkspace = isAdmin || own.length === 1;
  const { startTime, endTime } = pastDays(new Date(), 2 * days);
  const { labels, state: ofLabels } = useUsedLabels(account.id, { from: startTime, to: endTime });
  const remembered = `console:top-costs:${account.name}`;
  const [label, setLabel] = useState(() => {
    const stored = readStored(remembered);
    return typeof stored === 'string' ? stored : '';
  });
  const keys = [...new Set([...labels.map(({ key }) => key), ...(label === '' ? [] : [label])])];
  const groups = {
    account: account.id,
    endTime,
    resolution: 'DAILY' as const,
    ...(label === '' ? { groupBy: ['RESOURCE_NAME' as const, 'RESOURCE_TYPE' as const] } : { groupByLabels: [label] }),
    orderBy: { field: 'COST' as const, direction: 'DESC' as const },
    ...(isAdmin ? { workspace } : {}),
  };
  const [ofLast, lastAgain] = useAnswer({
    query: metricsQuery,
    variables: { ...groups, startTime: pastDays(new Date(), days).startTime, first: shownMax },
  });
  const ofBoth = { ...groups, startTime, first: 40 };
  const [both, bothAgain] = useAnswer({ query: metricsQuery, variables: ofBoth });
  const top = ofLast.data?.account?.metrics?.entries.nodes;
  const hasTop = useCallback(
    (entries: readonly Entry[]) => {
      const read = new Set(entries.map(groupKeyOf));
      return top?.every((entry) => read.has(groupKeyOf(entry))) ?? false;
    },
    [top],
  );
  const all = useAllNodes(
    top === undefined ? undefined : both.data?.account?.metrics?.entries,
    { query: metricsQuery, variables: ofBoth, pageOf: (answer) => answer.account?.metrics?.entries },
    hasTop,
  );
  const again = () => {
    lastAgain({ requestPolicy: 'network-only' });
    bothAgain({ requestPolicy: 'network-only' });
    all?.onRetry();
  };
  const answered = top === undefined || all?.isComplete !== true ? undefined : { top, both: all.nodes, label };
  const error = ofLast.error ?? both.error ?? all?.error;
  const { shown: current, isOld } = useLastAnswer(answered, error);
  const shown = current === undefined ? undefined : comparedRows(current.top, current.both);
  const shownLabel = current?.label ?? '';
  return (
    <section className="panel" aria-labelledby="top-costs-title">
      <header>
        <h2 id="top-costs-title">
          Top costs{' '}
          <span className="quiet">{isOfWorkspace ? '' : 'all your workspaces, '}last 7 days vs. previous 7 days</span>
        </h2>
        {keys.length === 0 && <OptionsState of="labels" state={ofLabels} />}
        {keys.length > 0 && (
          <Suspense fallback={<span className="top-costs-by" />}>
            <Choice
              label="By"
              value={label}
              options={[{ value: '', label: 'resource' }, ...keys.map((key) => ({ value: key, label: key }))]}
              onChange={(next: string) => {
                setLabel(next);
                store(remembered, next === '' ? undefined : next);
              }}
            />
          </Suspense>
        )}
      </header>
      {error !== undefined && shown === undefined ? (
        <FailureNotice error={error} onRetry={again} />
      ) : shown === undefined ? (
        <Skeletons />
      ) : shown.length === 0 ? (
        <p className="quiet">No usage in the last 7 days.</p>
      ) : (
        <table className={isOld ? 'top-costs older' : 'top-costs'} aria-busy={isOld}>
          <colgroup>
            <col />
            <col className="top-costs-type" />
            <col className="top-costs-cost" />
            <col className="top-costs-change" />
          </colgroup>
          <thead className="hidden">
            <tr>
              <th scope="col">{shownLabel === '' ? 'Resource' : shownLabel}</th>
              <th scope="col">Type</th>
              <th scope="col">Cost</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ resourceName, resourceType, labels: values, now, before }) => {
              const change = before === undefined ? undefined : changeOf(now, before);
              const value = values.find(({ key }) => key === shownLabel)?.value ?? undefined;
              return (
                <tr key={JSON.stringify([resourceType, resourceName, value])}>
                  <td className="cut">
                    {shownLabel === '' ? (
                      <ResourceName
                        workspace={isOfWorkspace ? workspace : undefined}
                        type={resourceType ?? ''}
                        name={resourceName ?? ''}
                      />
                    ) : (
                      <Link
                        to="/a/$account/costs"
                        params={{ account: account.name }}
                        search={{
                          ...(isAdmin ? { workspace } : {}),
                          label: [labelFilterText(shownLabel, value)],
                          by: ['resource_name'],
                          compare: true,
                        }}
                      >
                        {value ?? '(none)'}
                      </Link>
                    )}
                  </td>
                  <td className="quiet">{wordOf(resourceType ?? '')}</td>
                  <td className="number">
                    <Money nano={now} />
                  </td>
                  <td className="number quiet">
                    {before === 0n ? 'New' : change === undefined ? '' : formatChange(change)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Identifies the resource or the value of a label that an entry is of. */
function groupKeyOf({ resourceType, resourceName, labels }: Entry): string {
  return JSON.stringify([resourceType, resourceName, labels.map(({ value }) => value)]);
}

/** The most expensive of the last days, with the cost of the days before; undefined if it could not be read. */
function comparedRows(top: readonly Entry[], both: readonly Entry[]) {
  const known = new Map(both.map((entry) => [groupKeyOf(entry), entry]));
  return top.map((entry) => {
    const found = known.get(groupKeyOf(entry));
    return {
      ...entry,
      now: nanoFrom(entry.cost),
      before: found && totalOf(nanosOf(found).slice(0, days)),
    };
  });
}

interface ResourceNameProps {
  /** Undefined if it is not known. */
  workspace: string | undefined;
  type: string;
  name: string;
}

function ResourceName({ workspace, type, name }: ResourceNameProps): ReactElement {
  const kind = kindBilledAs(type);
  if (kind === undefined || workspace === undefined) return <span className="mono">{name}</span>;
  return (
    <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="mono" title={name}>
      {name}
    </Link>
  );
}
