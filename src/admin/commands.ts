import { accountCommands } from './account-commands.js';
import type { Command } from './command.js';
import { configurationCommands } from './configuration-commands.js';
import { credentialCommands } from './credential-commands.js';
import { oauthCommands } from './oauth-commands.js';
import { principalCommands } from './principal-commands.js';
import { usageCommands } from './usage-commands.js';

/** Every command, in the order of the help. */
export const commands: Command[] = [
  ...accountCommands,
  ...principalCommands,
  ...credentialCommands,
  ...oauthCommands,
  ...configurationCommands,
  ...usageCommands,
];
