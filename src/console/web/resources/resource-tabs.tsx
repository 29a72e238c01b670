import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useViewActions } from '../frame/shortcuts.js';
import type { Kind } from '../kinds/kinds.js';
import { Tabs } from '../look/tabs.js';
import { tabsOf, tabTitles } from './resource-tab.js';
import type { ResourceTab } from './resource-tab.js';

interface ResourceTabsProps {
  workspace: string;
  kind: Kind;
  name: string;
  /** Undefined for the overview. */
  current: ResourceTab | undefined;
}

/** The tabs of a resource page, also as commands of the palette. */
export function ResourceTabs({ workspace, kind, name, current }: ResourceTabsProps): ReactElement {
  const navigate = useNavigate();
  useViewActions(
    useMemo(
      () =>
        tabsOf(kind).map((tab) => ({
          title: `View ${tabTitles[tab]} of ${name}`,
          group: 'Resource',
          keys: [],
          run: () => void navigate({ to: '/w/$workspace/$kind/$name/$tab', params: { workspace, kind, name, tab } }),
        })),
      [navigate, workspace, kind, name],
    ),
  );
  return (
    <Tabs label={`Pages of ${name}`} current={current ?? ''}>
      <Link
        to="/w/$workspace/$kind/$name"
        params={{ workspace, kind, name }}
        activeOptions={{ exact: true }}
        className="tab"
      >
        Overview
      </Link>
      {tabsOf(kind).map((tab) => (
        <Link key={tab} to="/w/$workspace/$kind/$name/$tab" params={{ workspace, kind, name, tab }} className="tab">
          {tabTitles[tab]}
        </Link>
      ))}
    </Tabs>
  );
}
