import { z } from 'zod';
import { enumName } from '../../graphql/enums.js';
import { isKindWith, resourceKindNames, resourceKinds } from '../../../resource-kinds.js';
import { defineTool, readOnly } from '../tool.js';
import {
  fittingPage,
  hasMore,
  inputItemsMax,
  kindInput,
  listedIn,
  mapIn,
  nameInput,
  pageInput,
  withoutEmpty,
} from '../tool-result.js';

const searched = resourceKindNames.filter((kind) => isKindWith('isSearched', kind));

export const search = defineTool({
  name: 'search',
  title: 'Search resources',
  description:
    'Finds resources of all kinds by a text in their name, display name or labels, in one workspace or in all. ' +
    'Returns the id of each, which get_resource and delete_resource take.',
  input: z.strictObject({
    text: z.string().max(200).describe('Text to find, at any position, case-insensitive. Empty finds everything.'),
    kinds: z
      .array(kindInput(searched.map((kind) => resourceKinds[kind].typeName)))
      .max(inputItemsMax)
      .optional()
      .describe('Only these kinds (default: all).'),
    workspace: nameInput.optional().describe('Name of a workspace (default: all that the caller can access).'),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (call, { text, kinds, workspace, first, after, maxBytes }) => {
    const variables = { text, kinds: kinds?.map((kind) => enumName(kind)), workspace, first, after };
    const { data } = await call.execute('search', { variables });
    const page = mapIn(data['page']);
    const listed = listedIn(page, ({ workspace: place, ...node }) => ({
      ...withoutEmpty(node),
      workspace: mapIn(place)['name'],
    }));
    return fittingPage({ count: page['filteredCount'] }, 'hits', listed, hasMore(page), maxBytes);
  },
});
