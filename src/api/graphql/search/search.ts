import { resolveNodes } from '@pothos/plugin-relay';
import { kindsWith, resourceKinds } from '../../../resource-kinds.js';
import { builder } from '../builder.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../connection.js';
import { encodeGlobalId } from '../global-id.js';
import { StatusEnum } from '../resource.js';
import { selectedPaths } from '../selection.js';
import { workspaceEdge } from '../accounts/accounts.js';
import { search } from '../../../resources/search/search.js';
import type { Hit } from '../../../resources/search/search.js';

const SearchKindEnum = builder.enumType('SearchKind', {
  description: 'What is found by its name.',
  values: Object.fromEntries(
    kindsWith('isSearched').map((kind) => [kind, { value: kind, description: `${resourceKinds[kind].plural}.` }]),
  ),
});

const HitType = builder.objectRef<Hit>('SearchHit').implement({
  description: 'Something that was found.',
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'The global id of what was found, for `node`.',
      resolve: ({ kind, id }) => encodeGlobalId(resourceKinds[kind].typeName, id),
    }),
    kind: t.expose('kind', { type: SearchKindEnum, nullable: false, description: 'What it is.' }),
    name: t.exposeString('name', { nullable: false, description: 'Its name.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Null for what has none.' }),
    workspace: t.field(workspaceEdge),
    resource: t.field({
      type: builder.nodeInterfaceRef(),
      complexity: 2,
      description: 'All of it; null when it went meanwhile. Needs the scope by which one of its kind is read.',
      resolve: async ({ kind, id }, _args, ctx, info) => {
        const [found] = await resolveNodes(builder, ctx, info, [{ typename: resourceKinds[kind].typeName, id }]);
        return found;
      },
    }),
  }),
});

/** A search reads every kind in every workspace: up to 25 of them fit in one request. */
const searchComplexity = 2_000;

builder.queryField('search', (t) =>
  t.connection(
    {
      type: HitType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description:
        'What has a text in its name, display name or labels, of all kinds and in all workspaces within reach. What is ' +
        'called just that comes first, then what its name starts with, then all else; each by name. Needs the scope ' +
        'agents:list for agents, and likewise for each kind the one that lists it; kinds that the credential may not list ' +
        'are left out unless they are named.',
      args: {
        text: t.arg.string({
          required: true,
          description: 'Found in any case; at most 200 characters. Under two characters it finds nothing.',
        }),
        kinds: t.arg({ type: [SearchKindEnum], description: 'Only these.' }),
        workspace: t.arg.string({ description: 'Only in the workspace of this name, whatever the header says.' }),
      },
      complexity: (args) => ({ ...connectionComplexity(args), field: searchComplexity }),
      resolve: async (_root, args, ctx, info) => {
        const paths = selectedPaths(info);
        const page = await search(ctx, {
          ...args,
          ...sliceFromArguments(args),
          wanted: {
            items: ['edges', 'nodes', 'pageInfo'].some((field) => paths.has(field)),
            hasMore: paths.has('pageInfo.hasNextPage') || paths.has('pageInfo.hasPreviousPage'),
            total: paths.has('totalCount'),
            filtered: paths.has('filteredCount'),
          },
        });
        return { ...connectionFromPage(page, page.cursors), total: page.total, filtered: page.filtered };
      },
    },
    { name: 'SearchHitConnection', description: 'A page of what was found.' },
    { name: 'SearchHitEdge', description: 'One of a page of what was found, with its cursor.' },
  ),
);
