import { applyCommand } from './apply-command.js';
import type { GatewayCommand } from './gateway-command.js';
import { getCommand } from './get-command.js';
import { redeployCommand } from './redeploy-command.js';
import { webhookCommands } from './webhook-commands.js';
import { webhookDeliveryCommands } from './webhook-delivery-commands.js';
import { loginCommand, logoutCommand } from './login-commands.js';

/** All commands that are clients of a gateway, in the order of the help. */
export const gatewayCommands: GatewayCommand[] = [
  applyCommand,
  getCommand,
  redeployCommand,
  ...webhookCommands,
  ...webhookDeliveryCommands,
  loginCommand,
  logoutCommand,
];
