import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { useRefresh } from '../api/use-refresh.js';
import { graphql } from '../api/graphql.js';
import { loadPart } from '../api/load-part.js';
import { countsFrom, holdings } from '../kinds/holdings.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { formatCount } from '../look/money.js';
import { pathPrefix } from '../session/settings.js';
import { accountGroups, workspacePlaces } from './views.js';
import { AccountMark, PlaceLabel } from './menu-label.js';
import { titleOf, useViewer } from './viewer.js';
import type { Viewer } from './viewer.js';
import './rail.css';

const menus = async () => loadPart(() => import('./rail-menus.js'));
const ViewerMenu = lazy(async () => ({ default: (await menus()).ViewerMenu }));
const WorkspaceMenu = lazy(async () => ({ default: (await menus()).WorkspaceMenu }));

const countsQuery = graphql(
  `
    query RailCounts($workspace: String!) {
      workspace(name: $workspace) {
        id
        ...Holdings
        pendingImageShares(first: 0) {
          totalCount
        }
      }
    }
  `,
  [holdings],
);

interface RailProps {
  workspace: string | undefined;
  isOpen: boolean;
  /** Whether to load the menus, which open only on click. */
  isCalm: boolean;
  onClose: () => void;
}

/** The navigation: views of the workspace, the account and the platform. */
export function Rail({ workspace, isOpen, isCalm, onClose }: RailProps): ReactElement {
  const viewer = useViewer();
  const element = useRef<HTMLElement>(null);
  const current = viewer.workspaces.find(({ name }) => name === workspace);
  const account = viewer.accounts.find(({ name }) => name === current?.account.name) ?? viewer.accounts[0];
  useEffect(() => {
    if (!isOpen) return undefined;
    element.current?.querySelector<HTMLElement>('button, a')?.focus();
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onClose();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen, onClose]);
  return (
    <>
      {isOpen && <div className="sheet-backdrop" onClick={onClose} aria-hidden="true" />}
      <aside ref={element} className={isOpen ? 'rail open' : 'rail'} aria-label="Navigation">
        <div className="place">
          <PlaceMenus
            account={account === undefined ? viewer.name : titleOf(account)}
            current={current}
            hasWorkspaces={viewer.workspaces.length > 0}
            isCalm={isCalm}
          />
        </div>
        <nav aria-label="Main">
          {workspace !== undefined && <WorkspaceLinks workspace={workspace} />}
          {account !== undefined &&
            Object.entries(accountGroups).map(([group, places]) => (
              <details key={group} open>
                <summary>{group}</summary>
                <ul>
                  {places.map(({ to, title, icon }) => (
                    <li key={to}>
                      <Link to={to} params={{ account: account.name }}>
                        <Icon name={icon} />
                        {title}
                      </Link>
                    </li>
                  ))}
                  {group === 'Settings' && platformLink}
                </ul>
              </details>
            ))}
          {account === undefined && <ul>{platformLink}</ul>}
        </nav>
        <p className="foot">
          <a className="button bare" href={`${pathPrefix}/graphql`}>
            <Icon name="open" />
            API explorer (GraphiQL)
          </a>
        </p>
      </aside>
    </>
  );
}

const platformLink = (
  <li>
    <Link to="/platform">
      <Icon name="platform" />
      Platform
    </Link>
  </li>
);

interface PlaceMenusProps {
  account: string;
  current: Viewer['workspaces'][number] | undefined;
  hasWorkspaces: boolean;
  isCalm: boolean;
}

/** Shows the buttons of the menus, disabled, until the menus are loaded. */
function PlaceMenus({ account, current: place, hasWorkspaces, isCalm }: PlaceMenusProps): ReactElement {
  // In an unknown workspace, the menu leads to a known one.
  const title = place === undefined ? 'Choose a workspace' : titleOf(place);
  const waiting = (
    <>
      <button type="button" className="place-button" aria-haspopup="menu" disabled>
        <PlaceLabel title={account} mark={<AccountMark title={account} />} />
      </button>
      {hasWorkspaces && (
        <button type="button" className="place-button" aria-haspopup="menu" disabled>
          <PlaceLabel title={title} />
        </button>
      )}
    </>
  );
  return isCalm ? (
    <Suspense fallback={waiting}>
      <ViewerMenu title={account} />
      {hasWorkspaces && <WorkspaceMenu current={place?.name} title={title} />}
    </Suspense>
  ) : (
    waiting
  );
}

function WorkspaceLinks({ workspace }: { workspace: string }): ReactElement {
  const [{ data }, again] = useAnswer({ query: countsQuery, variables: { workspace } });
  useRefresh(() => again({ requestPolicy: 'network-only' }));
  const { pathname } = useLocation();
  const countedAt = useRef(pathname);
  useEffect(() => {
    // The new view loads its own counts, so the counts in the rail must not be older.
    if (countedAt.current !== pathname) again({ requestPolicy: 'network-only' });
    countedAt.current = pathname;
  }, [pathname, again]);
  const counts = data?.workspace == null ? undefined : countsFrom(data.workspace);
  const placeCounts = new Map([
    ['Images', counts?.images],
    ['Image shares', data?.workspace?.pendingImageShares?.totalCount],
  ]);
  return (
    <>
      <ul>
        <li>
          <Link to="/w/$workspace" params={{ workspace }} activeOptions={{ exact: true }}>
            <Icon name="overview" />
            Overview
          </Link>
        </li>
      </ul>
      <ul>
        {kindNames.map((kind) => (
          <li key={kind}>
            <Link to="/w/$workspace/$kind" params={{ workspace, kind }}>
              <Icon name={kinds[kind].icon} />
              {kinds[kind].many}
              <Count value={counts?.[kind]} />
            </Link>
          </li>
        ))}
        {workspacePlaces.map(({ to, title, icon }) => (
          <li key={to}>
            <Link to={to} params={{ workspace }}>
              <Icon name={icon} />
              {title}
              <Count value={placeCounts.get(title)} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Count({ value }: { value: number | undefined }): ReactElement | null {
  return value === undefined ? null : <span className="count">{formatCount(value)}</span>;
}
