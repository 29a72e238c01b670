import { builder } from '../builder.js';
import { ChangeEdge } from './changes.js';
import { changeFilterArgument, filterFromInput } from './change-filter.js';
import { cursorOf, watchChanges } from '../../../changes/watch-changes.js';

builder.subscriptionField('changes', (t) =>
  t.field({
    type: ChangeEdge,
    nullable: false,
    description:
      'Every change within reach from now on, or from a cursor on, as `changes` of Query tells them. Answered as ' +
      'server-sent events (GraphQL over SSE, distinct connections). It goes on for as long as the credential may; ' +
      'what ends it says in extensions.resumeFrom with which cursor to come back.',
    args: {
      after: t.arg.string({ description: 'Cursor of any change; from now on where it is absent.' }),
      ...changeFilterArgument,
    },
    subscribe: (_root, { after, filter }, ctx) => watchChanges(ctx, { after, filter: filterFromInput(filter) }),
    resolve: (change, _args, ctx) => ({ node: change, cursor: cursorOf(ctx, change) }),
  }),
);
