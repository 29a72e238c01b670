import type { ReachableAccount } from '../../../auth/caller.js';
import { builder } from '../builder.js';
import { trialArgument, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { updateInputType } from '../shape-input.js';
import { accountMetadata, updateAccount } from '../../../accounts/account-changes.js';
import { AccountType } from './accounts.js';

const UpdateResult = resultType<{ account: ReachableAccount }>('UpdateAccount', 'What updateAccount changed', (t) => ({
  account: t.expose('account', { type: AccountType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateAccountInput', {
  description: 'Which account to change, and what of it. What is absent stays, null removes.',
  fields: (t) => ({
    ...trialArgument(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: "Name of the account: the caller's own." }),
    metadata: t.field({ type: updateInputType(accountMetadata), description: 'What it is called.' }),
  }),
});

builder.mutationField('updateAccount', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes an account, for an admin of it. Needs the scope admin.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ account: await updateAccount(ctx, input) })),
  }),
);
