import { z } from 'zod';
import { enumName } from '../../graphql/enums.js';
import { allKinds, changeActions } from '../../../changes/change-subjects.js';
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
  shortText,
  timeInput,
  withoutEmpty,
} from '../tool-result.js';

export const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists what changed, newest first: who created, updated or deleted what, and which status the platform reported. ' +
    'Use it to find out why something fails since a certain time.',
  input: z.strictObject({
    workspaces: z.array(nameInput).max(inputItemsMax).optional().describe('Only changes in these workspaces.'),
    kinds: z.array(kindInput(allKinds)).max(inputItemsMax).optional().describe('Only changes of these kinds.'),
    actions: z
      .array(z.enum(Object.keys(changeActions).map((action) => enumName(action))))
      .max(inputItemsMax)
      .optional()
      .describe('Only these actions.'),
    names: z.array(nameInput).max(inputItemsMax).optional().describe('Only changes of resources with these names.'),
    actors: z
      .array(nameInput)
      .max(inputItemsMax)
      .optional()
      .describe('Only changes by these users or service accounts.'),
    resource: z.string().max(200).optional().describe('Only changes of the resource with this global ID.'),
    from: timeInput.optional().describe('Only changes at or after this time, such as 2026-11-01T00:00:00Z.'),
    to: timeInput.optional().describe('Only changes before this time.'),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (call, { first, after, maxBytes, from, to, ...filter }) => {
    const time = from === undefined && to === undefined ? {} : { time: { from, to } };
    const variables = { last: first, before: after, filter: { ...filter, ...time } };
    const { data } = await call.execute('list-changes', { variables });
    const page = mapIn(data['page']);
    const listed = listedIn(page, ({ actor, count, message, fields, ...node }) =>
      withoutEmpty({
        ...node,
        actor: mapIn(actor)['name'] ?? mapIn(actor)['kind'],
        message: shortText(message),
        fields: Array.isArray(fields) ? fields.slice(0, 10) : fields,
        ...(count === 1 ? {} : { count }),
      }),
    );
    return fittingPage({}, 'changes', listed.toReversed(), hasMore(page, 'hasPreviousPage'), maxBytes);
  },
});
