// Every view has a URL that determines what it shows.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { membersSearch } from '../access/members-search.js';
import { activitySearch } from '../activity/activity-search.js';
import { client } from '../api/client.js';
import { loadPart } from '../api/load-part.js';
import { costsSearch } from '../costs/costs-search.js';
import { imageTabIn } from '../images/image-tab.js';
import { isKind } from '../kinds/kinds.js';
import { listSearch } from '../lists/list-search.js';
import { textIn } from '../lists/search-text.js';
import type { SearchText } from '../lists/search-text.js';
import { tabIn } from '../resources/resource-tab.js';
import { usageSearch } from '../usage/usage-search.js';
import { deliveriesSearch } from '../webhooks/webhooks-search.js';
import { pathPrefix } from '../session/settings.js';
import { Frame, FrameFailure, NotFound, ViewFailure } from './frame.js';
import { FirstView } from './first-view.js';
import { InWorkspace } from './in-workspace.js';
import { newSearch } from './new-in-url.js';
import { homeWorkspace, viewerQuery } from './viewer.js';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound, errorComponent: FrameFailure });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { data } = await client.query(viewerQuery, {}, { requestPolicy: 'cache-first' }).toPromise();
    const workspace = data === undefined ? undefined : homeWorkspace(data.viewer);
    if (workspace !== undefined) throw redirect({ to: '/w/$workspace', params: { workspace } });
  },
  component: lazyRouteComponent(() => loadPart(() => import('./no-workspace.js')), 'NoWorkspace'),
});

const workspace = createRoute({ getParentRoute: () => root, path: '/w/$workspace', component: InWorkspace });

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => loadPart(() => import('../overview/overview.js')), 'Overview'),
});

const list = createRoute({
  getParentRoute: () => workspace,
  path: '$kind',
  validateSearch: listSearch,
  params: {
    parse: ({ kind }) => {
      if (!isKind(kind)) throw notFound();
      return { kind };
    },
    stringify: ({ kind }) => ({ kind }),
  },
  component: lazyRouteComponent(() => loadPart(() => import('../lists/list-view.js')), 'ListView'),
});

const resource = createRoute({
  getParentRoute: () => workspace,
  path: '$kind/$name',
  params: {
    parse: ({ kind, name }) => {
      if (!isKind(kind)) throw notFound();
      return { kind, name };
    },
    stringify: ({ kind, name }) => ({ kind, name }),
  },
  component: lazyRouteComponent(() => loadPart(() => import('../resources/resource-view.js')), 'ResourceView'),
});

/** The tabs of a resource: the same view, so that its header stays and the focus with it. */
const resourceTab = createRoute({
  getParentRoute: () => resource,
  path: '$tab',
  // The page of the executions.
  validateSearch: (search: SearchText): { after?: string } => {
    const after = textIn(search, 'after');
    return after === undefined ? {} : { after };
  },
  beforeLoad: ({ params: { kind, tab } }) => {
    if (tabIn(kind, tab) === undefined) throw notFound();
  },
});

const execution = createRoute({
  getParentRoute: () => workspace,
  path: 'jobs/$name/executions/$id',
  component: lazyRouteComponent(() => loadPart(() => import('../jobs/execution-view.js')), 'ExecutionView'),
});

const images = createRoute({
  getParentRoute: () => workspace,
  path: 'images',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../images/images-view.js')), 'ImagesView'),
});

const image = createRoute({
  getParentRoute: () => workspace,
  path: 'images/$type/$name',
  component: lazyRouteComponent(() => loadPart(() => import('../images/image-view.js')), 'ImageView'),
});

const imageTab = createRoute({
  getParentRoute: () => image,
  path: '$tab',
  beforeLoad: ({ params: { tab } }) => {
    if (imageTabIn(tab) === undefined) throw notFound();
  },
});

const shares = createRoute({
  getParentRoute: () => workspace,
  path: 'shares',
  component: lazyRouteComponent(() => loadPart(() => import('../images/shares-view.js')), 'SharesView'),
});

const activity = createRoute({
  getParentRoute: () => workspace,
  path: 'activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => loadPart(() => import('../activity/activity-view.js')), 'ActivityView'),
});

const accountActivity = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => loadPart(() => import('../activity/activity-view.js')), 'AccountActivityView'),
});

const costs = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/costs',
  validateSearch: costsSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../costs/costs-view.js')), 'CostsView'),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/usage',
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../usage/usage-view.js')), 'UsageView'),
});

const access = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/access',
  validateSearch: newSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../access/access-view.js')), 'AccessView'),
});

const clients = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/clients',
  validateSearch: newSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../access/oauth-clients-view.js')), 'OauthClientsView'),
});

const singleSignOn = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/single-sign-on',
  component: lazyRouteComponent(() => loadPart(() => import('../access/single-sign-on-view.js')), 'SingleSignOnView'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/settings',
  component: lazyRouteComponent(() => loadPart(() => import('../account/account-view.js')), 'AccountView'),
});

const budgets = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/budgets',
  validateSearch: newSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../budgets/budgets-view.js')), 'BudgetsView'),
});

const quotas = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/quotas',
  component: lazyRouteComponent(() => loadPart(() => import('../quotas/quotas-view.js')), 'QuotasView'),
});

const members = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/members',
  validateSearch: membersSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../access/members-view.js')), 'MembersView'),
});

const person = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/members/$name',
  component: lazyRouteComponent(() => loadPart(() => import('../access/person-view.js')), 'PersonView'),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/webhooks',
  validateSearch: newSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../webhooks/webhooks-view.js')), 'WebhooksView'),
});

const webhook = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/webhooks/$id',
  validateSearch: deliveriesSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../webhooks/webhook-view.js')), 'WebhookView'),
});

const workspaces = createRoute({
  getParentRoute: () => root,
  path: '/a/$account/workspaces',
  validateSearch: (search: SearchText): { q?: string; after?: string } => {
    const [q, after] = [textIn(search, 'q'), textIn(search, 'after')];
    return { ...(q === undefined ? {} : { q }), ...(after === undefined ? {} : { after }) };
  },
  component: lazyRouteComponent(() => loadPart(() => import('../workspaces/workspaces-view.js')), 'WorkspacesView'),
});

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile',
  component: lazyRouteComponent(() => loadPart(() => import('../self/own-access-view.js')), 'OwnAccessView'),
});

const platform = createRoute({
  getParentRoute: () => root,
  path: '/platform',
  component: lazyRouteComponent(() => loadPart(() => import('../platform/platform-view.js')), 'PlatformView'),
});

const routeTree = root.addChildren([
  home,
  workspace.addChildren([
    overview,
    images,
    image.addChildren([imageTab]),
    shares,
    activity,
    execution,
    list,
    resource.addChildren([resourceTab]),
  ]),
  accountActivity,
  costs,
  usage,
  access,
  clients,
  singleSignOn,
  settings,
  budgets,
  quotas,
  members,
  person,
  webhooks,
  webhook,
  workspaces,
  profile,
  platform,
]);

export const router = createRouter({
  routeTree,
  basepath: pathPrefix === '' ? '/' : pathPrefix,
  // Search parameters that a view does not read are dropped.
  search: { strict: true },
  InnerWrap: FirstView,
  // If a view fails, the frame stays.
  defaultErrorComponent: ViewFailure,
  defaultPreload: 'intent',
  defaultPreloadDelay: 40,
  scrollRestoration: true,
  // Lists that scroll by themselves, under the name of the router's attribute.
  scrollToTopSelectors: ['[data-scroll-restoration-id=list]'],
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
