import { Link, useMatches, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { isKind, kinds } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { zoneName, zoneOffset } from '../look/time.js';
import { placeTitle } from './views.js';
import { titleOf, useViewer } from './viewer.js';
import './header.css';

/** The breadcrumb, the search button and the time zone. */
export function Header({ onMenu, onSearch }: { onMenu: () => void; onSearch: () => void }): ReactElement {
  const trail = useRef<HTMLOListElement>(null);
  useTitle(trail);
  return (
    <header className="header">
      <button type="button" className="button bare square menu-button" aria-label="Open navigation" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <nav className="trail" aria-label="Breadcrumb">
        <ol ref={trail}>
          {useTrail().map(({ key, content, title }) => (
            <li key={key} className={title === undefined ? '' : 'cut'} title={title}>
              {content}
            </li>
          ))}
        </ol>
      </nav>
      <button type="button" className="button search" onClick={onSearch}>
        <Icon name="search" />
        <span>Search or run…</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <span className="zone" title={`Time zone: ${zoneName()}`}>
        {zoneOffset()}
      </span>
    </header>
  );
}

/** Sets the document title from the breadcrumb, the current page first. */
function useTitle(trail: RefObject<HTMLOListElement | null>): void {
  useEffect(() => {
    const steps = Array.from(trail.current?.children ?? [], ({ textContent }) => textContent);
    document.title = [...steps.toReversed(), 'Workload Control Plane'].join(' · ');
  });
}

const isMac = navigator.userAgent.includes('Mac');

interface Step {
  key: string;
  content: ReactNode;
  /** A name that a user chose. It is cut if there is no room. The words of the console are never cut. */
  title?: string;
}

function useTrail(): Step[] {
  const { workspace, kind, name, account, id, type } = useParams({ strict: false });
  const route = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const viewer = useViewer();
  const steps: Step[] = [];
  const here = (text: string): Step => ({ key: text, content: <span aria-current="page">{text}</span> });
  const hereNamed = (text: string): Step => ({ ...here(text), title: text });
  if (account !== undefined) {
    const known = viewer.accounts.find((each) => each.name === account);
    const title = known === undefined ? account : titleOf(known);
    const first = { key: 'account', content: title, title };
    if (id !== undefined) {
      const all = (
        <Link to="/a/$account/webhooks" params={{ account }} activeOptions={{ exact: true }}>
          Webhooks
        </Link>
      );
      return [first, { key: 'webhooks', content: all }, here('Webhook')];
    }
    if (name !== undefined) {
      const all = (
        <Link to="/a/$account/members" params={{ account }} activeOptions={{ exact: true }}>
          Members
        </Link>
      );
      return [first, { key: 'members', content: all }, hereNamed(name)];
    }
    return [first, here(placeTitle(route) ?? 'Page not found')];
  }
  if (workspace === undefined) return [here(placeTitle(route) ?? 'Console')];
  const known = viewer.workspaces.find((each) => each.name === workspace);
  const workspaceTitle = known === undefined ? workspace : titleOf(known);
  steps.push({
    key: 'workspace',
    title: workspaceTitle,
    content: (
      <Link to="/w/$workspace" params={{ workspace }} activeOptions={{ exact: true }}>
        {workspaceTitle}
      </Link>
    ),
  });
  if (id !== undefined && name !== undefined) {
    steps.push(listStep(workspace, 'jobs'), {
      key: 'job',
      title: name,
      content: (
        <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind: 'jobs', name }} activeOptions={{ exact: true }}>
          {name}
        </Link>
      ),
    });
    return [...steps, here('Execution')];
  }
  if (type !== undefined && name !== undefined) {
    const images = (
      <Link to="/w/$workspace/images" params={{ workspace }} activeOptions={{ exact: true }}>
        Images
      </Link>
    );
    return [...steps, { key: 'images', content: images }, hereNamed(name)];
  }
  if (kind !== undefined && isKind(kind)) {
    return name === undefined
      ? [...steps, here(kinds[kind].many)]
      : [...steps, listStep(workspace, kind), hereNamed(name)];
  }
  return [...steps, here(placeTitle(route) ?? (route === '/w/$workspace/' ? 'Overview' : 'Page not found'))];
}

function listStep(workspace: string, kind: keyof typeof kinds): Step {
  return {
    key: kind,
    content: (
      <Link to="/w/$workspace/$kind" params={{ workspace, kind }} activeOptions={{ exact: true }}>
        {kinds[kind].many}
      </Link>
    ),
  };
}
