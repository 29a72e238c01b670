// What the inputs of mutations have in common, whichever kind they change.
import type { builder } from './builder.js';

type Fields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

/** Where, and whether only to say what would be. */
export function changeArguments(t: Fields) {
  return {
    workspace: t.string({ description: 'Name of the workspace, when the header does not say it.' }),
    ...trialArgument(t),
  };
}

/** Whether only to say what would be, for what is in no workspace. */
export function trialArgument(t: Fields) {
  return {
    validateOnly: t.boolean({ description: 'Does everything but the change, and answers what would be.' }),
  };
}

/** The condition on which something is changed or removed. */
export function versionArgument(t: Fields) {
  return {
    ifVersion: t.int({
      description: 'The version that it must still have; version_mismatch says who changed what since.',
    }),
  };
}
