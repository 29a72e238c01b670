import { resolveNodes } from '@pothos/plugin-relay';
import { kindsWith, resourceKinds } from '../../../resource-kinds.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity, connectionFromPage, sliceFromArguments } from '../connection.js';
import { encodeGlobalId } from '../global-id.js';
import { StatusEnum } from '../resource.js';
import { selectedParts } from '../resource-list.js';
import { workspaceEdge } from '../accounts/accounts.js';
import { search } from '../../../resources/search/search.js';
import type { Hit } from '../../../resources/search/search.js';

const SearchKindEnum = builder.enumType('SearchKind', {
  description: 'A kind of resource that a search can find.',
  values: Object.fromEntries(
    kindsWith('isSearched').map((kind) => [kind, { value: kind, description: `${resourceKinds[kind].plural}.` }]),
  ),
});

const HitType = builder.objectRef<Hit>('SearchHit').implement({
  interfaces: [NamedInterface],
  description: 'A search result.',
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Global ID of the resource, for `node`.',
      resolve: ({ kind, id }) => encodeGlobalId(resourceKinds[kind].typeName, id),
    }),
    kind: t.expose('kind', { type: SearchKindEnum, nullable: false, description: 'Kind of the resource.' }),
    name: t.exposeString('name', { nullable: false, description: 'Name of the resource.' }),
    displayName: t.exposeString('displayName', { description: 'Display name, or null if there is none.' }),
    status: t.expose('status', { type: StatusEnum, description: 'Status of the resource, or null if it has none.' }),
    workspace: t.field(workspaceEdge),
    resource: t.field({
      type: builder.nodeInterfaceRef(),
      complexity: 2,
      description:
        'The resource, or null if it was deleted since the search. Needs the scope that reads a resource of the kind.',
      resolve: async ({ kind, id }, _args, ctx, info) => {
        const [node] = await resolveNodes(builder, ctx, info, [{ typename: resourceKinds[kind].typeName, id }]);
        return node;
      },
    }),
  }),
});

/** A search reads every kind in every workspace. One request can contain up to 25 searches. */
const searchComplexity = 2_000;

builder.queryField('search', (t) =>
  t.connection(
    {
      type: HitType,
      // If this root field is refused, the others still return.
      nullable: true,
      description:
        'Resources with a text in their name, display name or labels, of all kinds and in all accessible workspaces. ' +
        'Exact matches of the name come first, then names that start with the text, then all others; each ordered by ' +
        'name. Needs the scope agents:list for agents, and for other kinds the scope that lists the kind. Kinds that ' +
        'the credential cannot list are omitted; naming such a kind in `kinds` is an error.',
      args: {
        text: t.arg.string({
          required: true,
          description:
            'Text to search for, case-insensitive (2 to 200 characters). Spaces around it are ignored. Fewer than two ' +
            'characters find nothing.',
        }),
        kinds: t.arg({ type: [SearchKindEnum], description: 'Only resources of these kinds.' }),
        workspace: t.arg.string({ description: 'Only resources in the workspace of this name. Overrides the header.' }),
      },
      complexity: (args) => ({ ...connectionComplexity(args), field: searchComplexity }),
      resolve: async (_root, args, ctx, info) => {
        const page = await search(ctx, { ...args, ...sliceFromArguments(args), wanted: selectedParts(info) });
        return { ...connectionFromPage(page, page.cursors), total: page.total, filtered: page.filtered };
      },
    },
    { name: 'SearchHitConnection', description: 'A page of search results.' },
    { name: 'SearchHitEdge', description: 'A search result and its cursor.' },
  ),
);
