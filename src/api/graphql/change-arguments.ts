// Input fields that mutations share.
import type { InputFields } from './builder.js';

/** The workspace of the mutation, and the dry-run flag. */
export function changeArguments(t: InputFields) {
  return {
    workspace: t.string({ description: 'Name of the workspace (default: the workspace of the header).' }),
    ...dryRunArgument(t),
  };
}

/** The dry-run flag, for mutations outside a workspace. */
export function dryRunArgument(t: InputFields) {
  return {
    validateOnly: t.boolean({
      description: 'Dry run: validates the request and returns the result without saving it (default: false).',
    }),
  };
}

/** The description of the account of a mutation, which an admin of the platform can name. */
export const otherAccount =
  'Name of the account (default: that of the credential). Only an admin of the platform can name another one.';

/** How the owner of a credential differs for another account. */
export const otherOwner = 'For another account: the name of a user or service account that can access it, required.';

/** The optimistic lock of an update or a deletion. */
export function versionArgument(t: InputFields) {
  return {
    ifVersion: t.int({
      description:
        'Expected version. If the current version differs, the result is the error version_mismatch, with the ' +
        'current version, the changed fields and the last author.',
    }),
  };
}
