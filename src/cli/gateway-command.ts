// Commands that are clients of a running gateway. They need its URL, and a key or a login, but no database.
import type { Readable, Writable } from 'node:stream';
import type { Gateway } from '../manifests/gateway.js';
import { dryRunDescription } from './command.js';
import type { Option } from './command.js';
import type { CommandResult } from './print.js';

export interface GatewayOption extends Option {
  /** The short form: `f`. */
  short?: string;
}

/** The options and arguments of a command line. */
export interface Given {
  text: (flag: string) => string | undefined;
  has: (flag: string) => boolean;
}

/** The context of a command. */
export interface GatewaySession {
  gateway: Gateway;
  /** The URL of the gateway. */
  server: string;
  /** The path of the file with the login to this gateway. */
  loginFile: string;
  /** The folder that relative paths start from. */
  folder: string;
  standardInput: Readable;
  /** Prints a line while the command runs. */
  tell: (line: string) => void;
  pause: (ms: number) => Promise<void>;
  /** Prints output while the command runs. Undefined if all output is in the result. */
  print?: (text: string) => void;
  /** The terminal for progress, if standard error is one. */
  terminal?: Writable;
  /** Runs something that the user can interrupt (Ctrl+C). It then stops at a point from which it can continue. */
  interruptible?: Interruptible;
}

/** Passes a signal that aborts when the user interrupts. */
export type Interruptible = <Result>(act: (interrupted: AbortSignal) => Promise<Result>) => Promise<Result>;

export interface GatewayCommand {
  name: string;
  summary: string;
  /** Whether the command works without a key, such as `login`. */
  isWithoutKey?: true;
  /** The positional arguments, in order. */
  arguments: Option[];
  options: GatewayOption[];
  run: (session: GatewaySession, given: Given) => Promise<CommandResult>;
}

export const defaultServer = 'http://localhost:4000';

/** An option that has a value and is not required. */
export function option(
  flag: string,
  placeholder: string,
  description: string,
  values?: readonly string[],
): GatewayOption {
  return { flag, placeholder, description, isRequired: false, ...(values === undefined ? {} : { values }) };
}

/** An option without a value. */
export function switchOption(flag: string, description: string): GatewayOption {
  return { flag, placeholder: '', description, isRequired: false, isSwitch: true };
}

export const jsonOption = switchOption('json', 'Print JSON.');
export const dryRunOption = switchOption('dry-run', dryRunDescription);

/** The options of all these commands. */
export const gatewayOptions: GatewayOption[] = [
  option('server', 'URL', `URL of the gateway. Default: the environment variable SERVER, or ${defaultServer}.`),
  option(
    'key',
    'KEY',
    'API key or access token. Default: the environment variable KEY (which other users of the machine cannot see), ' +
      'or the stored login.',
  ),
];
