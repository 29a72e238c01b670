import { referenceFields, withReference } from '../reference.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { updateInputType } from '../shape-input.js';
import { accountMetadata, updateAccount } from '../../../accounts/account-changes.js';
import { AccountType } from './accounts.js';

addMutation('updateAccount', {
  description: 'Updates an account. Needs an admin of the account.',
  scopes: [['admin']],
  inputDescription:
    'The account to update, and its new values. An absent field keeps its value, null removes the value.',
  argumentDescription: 'The account to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...referenceFields(t, 'account'),
    metadata: t.field({ type: updateInputType(accountMetadata), description: 'The new display name.' }),
    requiredSignInProvider: t.string({
      description: 'Identifier of the identity provider that users must sign in with. Null: any sign-in.',
    }),
  }),
  run: async (ctx, input) => ({ account: await updateAccount(ctx, withReference('Account', input)) }),
  payloadDescription: 'The updated account',
  payload: (t) => ({ account: t.expose('account', nonNull(AccountType, 'The updated account.')) }),
});
