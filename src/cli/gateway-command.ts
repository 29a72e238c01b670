// Commands that are a client of a running gateway, wherever it is: they need its address and a key or a login, and no
// database.
import type { Readable } from 'node:stream';
import type { Gateway } from '../manifests/gateway.js';
import type { Option } from './command.js';
import type { CommandResult } from './print.js';

export interface GatewayOption extends Option {
  /** A letter for it: `f`. */
  short?: string;
  /** Whether it is there or not, and has no value. */
  isSwitch?: true;
}

/** What a command line says: the text of each option and argument, and which switches it has. */
export interface Given {
  text: (flag: string) => string | undefined;
  has: (flag: string) => boolean;
}

/** What a command works with. */
export interface GatewaySession {
  gateway: Gateway;
  /** Its address. */
  server: string;
  /** Where logins are kept. */
  loginFile: string;
  /** Where the paths of files start that a command line names. */
  folder: string;
  standardInput: Readable;
  /** Says something while the command goes on. */
  tell: (line: string) => void;
  pause: (ms: number) => Promise<void>;
}

export interface GatewayCommand {
  name: string;
  summary: string;
  /** Whether it does without: it is how one gets in. */
  isWithoutKey?: true;
  /** What stands after the name, in this order. */
  arguments: Option[];
  options: GatewayOption[];
  run: (session: GatewaySession, given: Given) => Promise<CommandResult>;
}

export const defaultServer = 'http://localhost:4000';

/** What all of them take beside their own. */
export const gatewayOptions: GatewayOption[] = [
  {
    flag: 'server',
    placeholder: 'URL',
    description: `Address of the gateway; else that of the environment variable SERVER, else ${defaultServer}.`,
    isRequired: false,
  },
  {
    flag: 'key',
    placeholder: 'KEY',
    description:
      'API key or access token; else that of the environment variable KEY, which other users of the machine cannot see; ' +
      'else what "login" keeps.',
    isRequired: false,
  },
];
