import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { EventsLink } from '../usage/events-link.js';
import { useLastAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { useAccount, useViewer } from '../frame/viewer.js';
import { formatTime } from '../look/time.js';
import { changeOf, formatChange } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { FailureNotice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { CostBar } from './cost-bar.js';
import { compare } from './comparison.js';
import type { Sums } from './comparison.js';
import { CostChart } from './cost-chart.js';
import { CostChangesList } from './cost-changes-list.js';
import { useCostChanges } from './cost-changes.js';
import { CostMovers } from './cost-movers.js';
import { fetchAllGroups, questionBefore, useCosts } from './cost-query.js';
import type { CostAnswer, CostQuestion } from './cost-query.js';
import { CostTable } from './cost-table.js';
import type { CostsChange, CostsSearch, Grouping } from './costs-search.js';
import { filtersOf } from './groups.js';
import type { Group } from './groups.js';
import { comparedMax, useGroupsOf } from './use-groups.js';
import { useBilled } from './use-billed.js';
import type { Billed } from './use-billed.js';
import { presets, windowText } from './window.js';
import type { Window } from './window.js';
import { keptZone, zoneOf, zoneSearch } from './zone.js';
import type { TimeZone } from './zone.js';
import './costs-view.css';

const route = getRouteApi('/a/$account/costs');
const usualBy: readonly Grouping[] = ['resource_type'];

/** The costs of an account by group and time, compared to the previous period. */
export function CostsView(): ReactElement {
  const { account: name } = route.useParams();
  const search = route.useSearch();
  const account = useAccount(name);
  const navigate = useNavigate();
  const change = useCallback(
    (next: CostsChange, isReplacement = false) => {
      void navigate({
        to: '/a/$account/costs',
        params: { account: name },
        search: (before) => withoutEmpty({ ...before, ...next }),
        replace: isReplacement,
        resetScroll: false,
      });
    },
    [navigate, name],
  );
  const { from, to } = search;
  useEffect(() => {
    // A URL without times gets absolute ones, so that a link shows the same days to everyone.
    if (from !== undefined) return;
    const zone = search.zone === undefined ? keptZone() : zoneOf(search.zone);
    change({ ...presets['28d'].window(new Date(), zone), zone: zoneSearch(zone) }, true);
  }, [from, search.zone, change]);
  const zone = useMemo(() => zoneOf(search.zone), [search.zone]);
  if (account === undefined) return <NoAccount name={name} />;
  if (from === undefined || to === undefined) return <div className="view" aria-busy="true" />;
  const by = search.by ?? usualBy;
  const question = { account: account.id, window: { from, to }, zone, by, search };
  return <Costs key={account.id} question={question} onChange={change} />;
}

function withoutEmpty(search: CostsChange): CostsSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}

interface CostsProps {
  question: CostQuestion;
  onChange: (next: CostsChange) => void;
}

function Costs({ question, onChange }: CostsProps): ReactElement {
  const billed = useBilled(question.account);
  const { account: accountName } = route.useParams();
  const viewer = useViewer();
  const isAdmin = viewer.accounts.find(({ name }) => name === accountName)?.viewerRole === 'ADMIN';
  const { answer, error, again } = useCosts(question);
  // A period that has not ended is compared to the same part of the previous one.
  const earlier = useMemo(() => questionBefore(question, new Date()), [question]);
  const { answer: before, error: errorBefore } = useCosts(earlier);
  const groupsBefore = useGroupsOf(earlier, question.search.compare === true || answer?.hasMoreGroups === false);
  const current = answer && { answer, earlier, before, groupsBefore, isLoadingPrevious: errorBefore === undefined };
  const { shown, isOld } = useLastAnswer<ComparedCosts>(current, error);
  return (
    <div className="view costs">
      <h1>Costs</h1>
      <CostBar question={question} billed={billed} isAdmin={isAdmin} onChange={onChange} />
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <Answered costs={shown} account={accountName} billed={billed} isAdmin={isAdmin} onChange={onChange} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={again} />
      ) : (
        <CostSkeleton />
      )}
    </div>
  );
}

/** The costs of a question, and of the period before. */
interface ComparedCosts {
  answer: CostAnswer;
  earlier: CostQuestion;
  before: CostAnswer | undefined;
  groupsBefore: ReturnType<typeof useGroupsOf>;
  isLoadingPrevious: boolean;
}

interface AnsweredProps {
  costs: ComparedCosts;
  account: string;
  billed: Billed;
  isAdmin: boolean;
  onChange: (next: CostsChange) => void;
}

/** An answer, with the grouping, period and filters of its own question. */
function Answered({ costs, account, billed, isAdmin, onChange }: AnsweredProps): ReactElement {
  const { answer, earlier, before, groupsBefore, isLoadingPrevious } = costs;
  const { question } = answer;
  const { search, window, zone, by } = question;
  const isCompared = search.compare === true;
  const changes = useCostChanges(question, answer.groups);
  const [all, setAll] = useState<{ of: CostAnswer; groups: readonly Group[] }>();
  const isWhole = !answer.hasMoreGroups || all?.of === answer;
  const hasMovers = isCompared || !answer.hasMoreGroups;
  const comparison = useMemo(() => {
    const now = { groups: all?.of === answer ? all.groups : answer.groups, total: answer.total };
    const isKnown = before !== undefined && groupsBefore !== undefined && groupsBefore !== 'too-many';
    return {
      isKnown,
      ...compare(now, isKnown ? { groups: groupsBefore, total: before.total } : nothing, isWhole && isKnown),
    };
  }, [answer, all, before, groupsBefore, isWhole]);

  const pick = useCallback(
    (group: Group | undefined) => {
      if (group === undefined) return;
      onChange(filtersOf(group, search, isAdmin));
    },
    [onChange, search, isAdmin],
  );
  return (
    <>
      <Headline
        answer={answer}
        before={before}
        isLoadingPrevious={isLoadingPrevious}
        zone={zone}
        window={window}
        windowBefore={earlier.window}
      />
      {hasMovers && (
        <div className="movers-space">
          {comparison.isKnown && <CostMovers rows={comparison.rows} by={by} onPick={pick} />}
          {isCompared && groupsBefore === 'too-many' && (
            <p className="quiet">
              Too many groups to compare (more than {comparedMax}). Add a filter or group by fewer dimensions.
            </p>
          )}
        </div>
      )}
      <CostChart
        answer={answer}
        by={by}
        before={isCompared ? before?.bucketTotals : undefined}
        changes={changes}
        onPick={(key, picked) => {
          const group = answer.groups.find((each) => each.key === key);
          onChange({
            ...(group === undefined ? {} : filtersOf(group, search, isAdmin)),
            // An hour has no shorter bars to show.
            ...(answer.resolution === 'hourly' ? {} : { ...picked, resolution: undefined }),
          });
        }}
        onZoom={(zoomed) => onChange({ ...zoomed, resolution: undefined })}
        window={window}
        zone={zone}
      />
      <p className="events-link">
        <EventsLink account={account} question={question}>
          Usage events of this period
        </EventsLink>
      </p>
      <CostTable
        account={account}
        question={question}
        earlier={isCompared ? earlier : undefined}
        buckets={{ resolution: answer.resolution, now: answer.timestamps, before: before?.timestamps ?? [] }}
        billed={billed}
        comparison={comparison}
        totals={{ now: answer.total, before: before?.total ?? 0n }}
        isCompared={isCompared && comparison.isKnown}
        onPick={pick}
        onShowAll={async () => setAll({ of: answer, groups: await fetchAllGroups(question) })}
      />
      <CostChangesList key={JSON.stringify(question)} changes={changes} />
    </>
  );
}

const nothing: Sums = { groups: [], total: 0n };

function CostSkeleton(): ReactElement {
  return (
    <div className="cost-skeleton" aria-busy="true">
      <span className="skeleton" style={{ width: 160, height: 28 }} />
      <div className="skeleton-bars" aria-hidden="true">
        {Array.from({ length: 24 }, (_none, index) => (
          <span key={index} className="skeleton" style={{ height: `${40 + ((index * 37) % 50)}%` }} />
        ))}
      </div>
    </div>
  );
}

interface HeadlineProps {
  answer: CostAnswer;
  before: CostAnswer | undefined;
  /** Whether the previous total is still loading. */
  isLoadingPrevious: boolean;
  zone: TimeZone;
  window: Window;
  windowBefore: Window;
}

/** The total and the previous total. */
function Headline({ answer, before, isLoadingPrevious, zone, window, windowBefore }: HeadlineProps): ReactElement {
  const change = before === undefined ? undefined : changeOf(answer.total, before.total);
  return (
    <p className="cost-headline">
      <strong>
        <Money nano={answer.total} />
      </strong>
      <span>{windowText(window, zone)}</span>
      {before === undefined ? (
        // As wide as the text, so that the line does not wrap later.
        isLoadingPrevious && <span className="skeleton" style={{ width: 300 }} />
      ) : (
        <span className="quiet">
          {change === undefined ? 'Previous period:' : `${formatChange(change)} from`} <Money nano={before.total} /> in{' '}
          {windowText(windowBefore, zone)}
        </span>
      )}
      <span className="quiet">
        {answer.dataThrough === null
          ? 'No usage recorded yet.'
          : `Usage recorded through ${formatTime(answer.dataThrough, Date.now())}.`}
      </span>
    </p>
  );
}
