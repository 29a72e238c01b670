import { builder } from '../builder.js';
import { ChangeEdge } from './changes.js';
import { changeFilterArgument, filterFromInput } from './change-filter.js';
import { cursorOf, watchChanges } from '../../../changes/watch-changes.js';

builder.subscriptionField('changes', (t) =>
  t.field({
    type: ChangeEdge,
    nullable: false,
    description:
      'Streams the changes that the caller can access, from now on or after a cursor, as in `Query.changes`. ' +
      'Delivered as server-sent events (GraphQL over SSE, distinct connections). The subscription ends when the ' +
      'credential expires or is revoked. The error that ends it has the cursor to reconnect with in ' +
      'extensions.resumeFrom.',
    args: {
      after: t.arg.string({ description: 'Cursor of any change. Omitted: only new changes.' }),
      ...changeFilterArgument,
    },
    subscribe: (_root, { after, filter }, ctx) => watchChanges(ctx, { after, filter: filterFromInput(filter) }),
    resolve: (change, _args, ctx) => ({ node: change, cursor: cursorOf(ctx, change) }),
  }),
);
