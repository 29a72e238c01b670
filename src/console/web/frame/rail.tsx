import { Menu } from '@base-ui/react/menu';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { useChangesMade } from '../api/changes-made.js';
import { graphql } from '../api/graphql.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { formatCount } from '../look/money.js';
import { signIn, signOut } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { currentTheme, onThemeChange, setTheme, themes } from './theme.js';
import { titleOf, useViewer } from './viewer.js';

const countsQuery = graphql(`
  query RailCounts($workspace: String!) {
    workspace(name: $workspace) {
      id
      agents(first: 0) {
        totalCount
      }
      sandboxes(first: 0) {
        totalCount
      }
      jobs(first: 0) {
        totalCount
      }
      volumes(first: 0) {
        totalCount
      }
      vpcs(first: 0) {
        totalCount
      }
      images(first: 0) {
        totalCount
      }
      pendingImageShares(first: 0) {
        totalCount
      }
    }
  }
`);

interface RailProps {
  workspace: string | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** Where one can go: the workspace with its kinds, then what belongs to the account and the platform. */
export function Rail({ workspace, isOpen, onClose }: RailProps): ReactElement {
  const viewer = useViewer();
  const element = useRef<HTMLElement>(null);
  const place = viewer.workspaces.find(({ name }) => name === workspace);
  const account = viewer.accounts.find(({ name }) => name === place?.account.name) ?? viewer.accounts[0];
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
      <aside ref={element} className={isOpen ? 'rail open' : 'rail'} aria-label="Places">
        <div className="place">
          <ViewerMenu title={account === undefined ? viewer.name : titleOf(account)} />
          {place !== undefined && <WorkspaceMenu current={place.name} title={titleOf(place)} />}
        </div>
        <nav aria-label="Main">
          {workspace !== undefined && <WorkspaceLinks workspace={workspace} />}
          <ul>
            {account !== undefined && (
              <>
                <li>
                  <Link to="/a/$account/costs" params={{ account: account.name }}>
                    <Icon name="costs" />
                    Costs
                  </Link>
                </li>
                <li>
                  <Link to="/a/$account/workspaces" params={{ account: account.name }}>
                    <Icon name="workspaces" />
                    Workspaces
                  </Link>
                </li>
                <li>
                  <Link to="/a/$account/access" params={{ account: account.name }}>
                    <Icon name="access" />
                    API keys
                  </Link>
                </li>
                <li>
                  <Link to="/a/$account/members" params={{ account: account.name }}>
                    <Icon name="members" />
                    Members
                  </Link>
                </li>
                <li>
                  <Link to="/a/$account/webhooks" params={{ account: account.name }}>
                    <Icon name="webhooks" />
                    Webhooks
                  </Link>
                </li>
              </>
            )}
            <li>
              <Link to="/platform">
                <Icon name="platform" />
                Platform
              </Link>
            </li>
          </ul>
        </nav>
        <p className="foot">
          <a className="button bare" href={`${pathPrefix}/graphql`}>
            <Icon name="open" />
            Query editor
          </a>
        </p>
      </aside>
    </>
  );
}

function WorkspaceLinks({ workspace }: { workspace: string }): ReactElement {
  const [{ data }, again] = useQuery({ query: countsQuery, variables: { workspace } });
  useChangesMade(() => again({ requestPolicy: 'network-only' }));
  const counts = data?.workspace;
  const countOf: Record<Kind, number | undefined> = {
    agents: counts?.agents.totalCount,
    sandboxes: counts?.sandboxes.totalCount,
    jobs: counts?.jobs.totalCount,
    volumes: counts?.volumes.totalCount,
    networks: counts?.vpcs.totalCount,
  };
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
              <Count value={countOf[kind]} />
            </Link>
          </li>
        ))}
        <li>
          <Link to="/w/$workspace/images" params={{ workspace }}>
            <Icon name="images" />
            Images
            <Count value={counts?.images.totalCount} />
          </Link>
        </li>
        <li>
          <Link to="/w/$workspace/shares" params={{ workspace }}>
            <Icon name="shares" />
            Shares
            <Count value={counts?.pendingImageShares.totalCount} />
          </Link>
        </li>
        <li>
          <Link to="/w/$workspace/activity" params={{ workspace }}>
            <Icon name="activity" />
            Activity
          </Link>
        </li>
      </ul>
    </>
  );
}

function Count({ value }: { value: number | undefined }): ReactElement | null {
  return value === undefined ? null : <span className="count">{formatCount(value)}</span>;
}

function ViewerMenu({ title }: { title: string }): ReactElement {
  const viewer = useViewer();
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  const navigate = useNavigate();
  return (
    <Menu.Root>
      <Menu.Trigger className="place-button">
        <span className="account-mark" aria-hidden="true">
          {title.charAt(0)}
        </span>
        <span className="cut">{title}</span>
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.Group>
              <Menu.GroupLabel className="group-label">
                {viewer.displayName ?? viewer.name}
                <br />
                {viewer.displayName === null ? '' : viewer.name}
              </Menu.GroupLabel>
              <Menu.Item onClick={() => void navigate({ to: '/profile' })}>Your access</Menu.Item>
              <Menu.Item onClick={() => void signIn({ chooseAccount: true })}>Choose another account…</Menu.Item>
              <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
            </Menu.Group>
            <Menu.Separator render={<hr />} />
            <Menu.RadioGroup value={theme} onValueChange={setTheme} aria-label="Theme">
              {themes.map((each) => (
                <Menu.RadioItem key={each} value={each} closeOnClick>
                  {{ system: 'Theme of the system', light: 'Light', dark: 'Dark' }[each]}
                  <Menu.RadioItemIndicator className="end">
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function WorkspaceMenu({ current, title }: { current: string; title: string }): ReactElement {
  const { workspaces } = useViewer();
  const navigate = useNavigate();
  return (
    <Menu.Root>
      <Menu.Trigger className="place-button">
        <span className="cut">{title}</span>
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.RadioGroup
              value={current}
              onValueChange={(workspace: string) => void navigate({ to: '/w/$workspace', params: { workspace } })}
              aria-label="Workspace"
            >
              {workspaces.map((each) => (
                <Menu.RadioItem key={each.name} value={each.name} closeOnClick>
                  <span>
                    {titleOf(each)}
                    <br />
                    <span className="quiet mono">{each.name}</span>
                  </span>
                  <Menu.RadioItemIndicator className="end">
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
