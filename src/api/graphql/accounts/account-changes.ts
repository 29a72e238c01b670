import { referenceFields, withReference } from '../reference.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import {
  accountMetadata,
  createAccount,
  deleteAccount,
  newAccountMetadata,
  updateAccount,
} from '../../../accounts/account-changes.js';
import { AccountType } from './accounts.js';

addMutation('createAccount', {
  description:
    'Creates an account without members and workspaces. `createUser` adds its first admin. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The account to create.',
  input: (t) => ({
    ...dryRunArgument(t),
    metadata: t.field({ type: inputType(newAccountMetadata), required: true, description: 'Name and display name.' }),
    plan: t.string({ description: 'Billing plan (1 to 63 characters; default: free).' }),
  }),
  run: async (ctx, input) => ({ account: await createAccount(ctx, input) }),
  payloadDescription: 'The created account',
  payload: (t) => ({ account: t.expose('account', nonNull(AccountType, 'The created account.')) }),
});

addMutation('deleteAccount', {
  description:
    'Deletes an account without workspaces, and its memberships, API keys and OAuth clients. Its usage and its change ' +
    'log stay. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The account to delete.',
  input: (t) => ({ ...dryRunArgument(t), ...versionArgument(t), ...referenceFields(t, 'account') }),
  run: async (ctx, input) => ({ account: await deleteAccount(ctx, withReference('Account', input)) }),
  payloadDescription: 'The deleted account',
  payload: (t) => ({ account: t.expose('account', nonNull(AccountType, 'The deleted account.')) }),
});

addMutation('updateAccount', {
  description: 'Updates an account. Needs an admin of the account, or of the platform.',
  scopes: [['admin']],
  inputDescription:
    'The account to update, and its new values. An absent field keeps its value, null removes the value.',
  argumentDescription: 'The account to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...referenceFields(t, 'account'),
    metadata: t.field({ type: updateInputType(accountMetadata), description: 'The new display name.' }),
    plan: t.string({ description: 'The new billing plan (1 to 63 characters). Needs an admin of the platform.' }),
    requiredSignInProvider: t.string({
      description: 'Identifier of the identity provider that users must sign in with. Null: any sign-in.',
    }),
  }),
  run: async (ctx, input) => ({ account: await updateAccount(ctx, withReference('Account', input)) }),
  payloadDescription: 'The updated account',
  payload: (t) => ({ account: t.expose('account', nonNull(AccountType, 'The updated account.')) }),
});
