// Input fields that mutations share.
import type { builder } from './builder.js';

type Fields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

/** The workspace of the mutation, and the dry-run flag. */
export function changeArguments(t: Fields) {
  return {
    workspace: t.string({ description: 'Name of the workspace (default: the workspace of the header).' }),
    ...dryRunArgument(t),
  };
}

/** The dry-run flag, for mutations outside a workspace. */
export function dryRunArgument(t: Fields) {
  return {
    validateOnly: t.boolean({
      description: 'Dry run: validates the request and returns the result without saving it (default: false).',
    }),
  };
}

/** The optimistic lock of an update or a deletion. */
export function versionArgument(t: Fields) {
  return {
    ifVersion: t.int({
      description:
        'Expected version. If the current version differs, the result is the error version_mismatch, with the ' +
        'current version, the changed fields and the last author.',
    }),
  };
}
