// The commands as completion scripts need them.

/** What can follow: a value of a list, a path, or a text that nothing is known of. */
export interface Completion {
  values: readonly string[];
  isPath: boolean;
}

export interface CompletedOption extends Completion {
  /** The long form without dashes. */
  flag: string;
  short: string | undefined;
  placeholder: string;
  description: string;
  isSwitch: boolean;
}

export interface CompletedCommand {
  /** One word, or a group and a verb. */
  name: string;
  summary: string;
  arguments: (Completion & { placeholder: string })[];
  options: CompletedOption[];
}
