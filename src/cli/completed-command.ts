// The commands as completion scripts need them.

/** The values that can follow: those of a list, paths, or any text. */
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
