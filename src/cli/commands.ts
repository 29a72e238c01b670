import { accountCommands } from './account-commands.js';
import { auditCommands } from './audit-commands.js';
import { backupCommands } from './backup-commands.js';
import { billingCommands } from './billing-commands.js';
import type { Command } from './command.js';
import { clusterCommands } from './cluster-commands.js';
import { configurationCommands } from './configuration-commands.js';
import { credentialCommands } from './credential-commands.js';
import { executorCommands } from './executor-commands.js';
import { keyCommands } from './key-commands.js';
import { metricsCommands } from './metrics-commands.js';
import { oauthCommands } from './oauth-commands.js';
import { principalCommands } from './principal-commands.js';
import { quotaCommands } from './quota-commands.js';
import { secretCommands } from './secret-commands.js';
import { sessionCommands } from './session-commands.js';
import { usageCommands } from './usage-commands.js';

/** All commands, in the order of the help. */
export const commands: Command[] = [
  ...accountCommands,
  ...quotaCommands,
  ...principalCommands,
  ...keyCommands,
  ...credentialCommands,
  ...secretCommands,
  ...oauthCommands,
  ...sessionCommands,
  ...configurationCommands,
  ...executorCommands,
  ...billingCommands,
  ...usageCommands,
  ...clusterCommands,
  ...metricsCommands,
  ...auditCommands,
  ...backupCommands,
];
