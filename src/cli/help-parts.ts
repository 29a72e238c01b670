// Parts that the help of all commands has.
import type { Option } from './command.js';

/** `help accounts create` is `accounts create --help`. */
export function withHelpOption(argv: string[]): string[] {
  const [first, ...rest] = argv;
  return first === 'help' ? [...rest, '--help'] : argv;
}

/** The description of an option, in help. */
export function explanation({ description, isRequired }: Option): string {
  return isRequired ? `${description} Required.` : description;
}

/** Lines in two columns. */
export function columns(lines: { left: string; right: string }[]): string[] {
  const width = Math.max(...lines.map(({ left }) => left.length));
  return lines.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
}
