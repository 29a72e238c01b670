// The views besides the overview and the resource lists. The rail, the shortcuts and the breadcrumb read these tables. Add
// each new view to one of them.
import type { IconName } from '../look/icon.js';

export interface Place {
  to: string;
  title: string;
  icon: IconName;
  /** The shortcut key, after g. */
  key: string;
}

export const workspacePlaces = [
  { to: '/w/$workspace/images', title: 'Images', icon: 'images', key: 'i' },
  { to: '/w/$workspace/shares', title: 'Image shares', icon: 'shares', key: 'h' },
  { to: '/w/$workspace/activity', title: 'Activity', icon: 'activity', key: 'y' },
] as const satisfies readonly Place[];

/** The views of an account, by their heading in the rail. */
export const accountGroups = {
  Billing: [
    { to: '/a/$account/costs', title: 'Costs', icon: 'costs', key: 'c' },
    { to: '/a/$account/usage', title: 'Usage events', icon: 'activity', key: 'x' },
    { to: '/a/$account/budgets', title: 'Budgets', icon: 'budgets', key: 'b' },
    { to: '/a/$account/quotas', title: 'Quotas', icon: 'quotas', key: 'q' },
  ],
  Access: [
    { to: '/a/$account/members', title: 'Members', icon: 'members', key: 'm' },
    { to: '/a/$account/access', title: 'API keys', icon: 'access', key: 'k' },
    { to: '/a/$account/clients', title: 'OAuth clients', icon: 'clients', key: 'l' },
    { to: '/a/$account/single-sign-on', title: 'Single sign-on', icon: 'signOn', key: 'r' },
    { to: '/a/$account/activity', title: 'Account activity', icon: 'activity', key: 'd' },
  ],
  Settings: [
    { to: '/a/$account/workspaces', title: 'Workspaces', icon: 'workspaces', key: 'e' },
    { to: '/a/$account/webhooks', title: 'Webhooks', icon: 'webhooks', key: 'w' },
    { to: '/a/$account/settings', title: 'Account', icon: 'account', key: 't' },
  ],
} as const satisfies Record<string, readonly Place[]>;

export const accountPlaces = Object.values(accountGroups).flat();

/** The views of the user and of the platform. */
export const generalPlaces = [
  { to: '/profile', title: 'Profile', icon: 'members', key: 'u' },
  { to: '/platform', title: 'Platform', icon: 'platform', key: 'p' },
] as const satisfies readonly Place[];

const titles = new Map<string, string>(
  [...workspacePlaces, ...accountPlaces, ...generalPlaces].map(({ to, title }) => [to, title]),
);

/** The title of a route; undefined if it is in none of the tables. */
export function placeTitle(route: string): string | undefined {
  return titles.get(route);
}
