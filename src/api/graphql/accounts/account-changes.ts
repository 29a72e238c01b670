import type { AccessibleAccount } from '../../../auth/caller.js';
import { addressFields, withAddress } from '../address.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { updateInputType } from '../shape-input.js';
import { accountMetadata, updateAccount } from '../../../accounts/account-changes.js';
import { AccountType } from './accounts.js';

const UpdateResult = resultType<{ account: AccessibleAccount }>('UpdateAccount', 'The updated account', (t) => ({
  account: t.expose('account', { type: AccountType, nullable: false, description: 'The updated account.' }),
}));

const UpdateInput = builder.inputType('UpdateAccountInput', {
  description: 'The account to update, and its new values. An absent field keeps its value, null removes the value.',
  fields: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...addressFields(t, 'account'),
    metadata: t.field({ type: updateInputType(accountMetadata), description: 'The new display name.' }),
    requiredSignInProvider: t.string({
      description: 'Identifier of the identity provider that users must sign in with. Null: any sign-in.',
    }),
  }),
});

builder.mutationField('updateAccount', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: 'Updates an account. Needs an admin of the account.',
    args: {
      input: t.arg({ type: UpdateInput, required: true, description: 'The account to update, and its new values.' }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ account: await updateAccount(ctx, withAddress('Account', input)) })),
  }),
);
