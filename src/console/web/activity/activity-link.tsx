import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { activitySearch } from './activity-search.js';
import type { ActivitySearch } from './activity-search.js';

/** Whose activity a view shows: that of a workspace, or that of an account (by its name). */
export type ActivityPlace = { workspace: string; account?: undefined } | { workspace?: undefined; account: string };

interface ActivityLinkProps {
  place: ActivityPlace;
  /** The search of the link, from that of the page. */
  search: (before: ActivitySearch) => ActivitySearch;
  className: string;
  label?: string;
  title?: string;
  /** Whether the page keeps its scroll position, such as when a change opens beside the list. */
  keepsScroll?: boolean;
  children?: ReactNode;
}

/** A link to the activity of a workspace or an account. */
export function ActivityLink(props: ActivityLinkProps): ReactElement {
  const { place, search, className, label, title, keepsScroll = false, children } = props;
  const common = {
    search: (before: object) => search(activitySearch({ ...before })),
    className,
    resetScroll: !keepsScroll,
    'aria-label': label,
    title,
  };
  if (place.workspace !== undefined) {
    return (
      <Link to="/w/$workspace/activity" params={{ workspace: place.workspace }} {...common}>
        {children}
      </Link>
    );
  }
  return (
    <Link to="/a/$account/activity" params={{ account: place.account }} {...common}>
      {children}
    </Link>
  );
}
