// `login` and `logout` of the command line, by OAuth device authorization (RFC 8628).
import { logIn, logOut } from './gateway-login.js';
import { option } from './gateway-command.js';
import type { GatewayCommand } from './gateway-command.js';
import { readLogin, removeLogin, writeLogin } from './login-file.js';
import { GatewayError } from '../manifests/gateway-errors.js';
import { visible } from './print.js';
import type { CommandResult } from './print.js';

/** Everything that the user can do. They can choose less in the browser. */
const defaultScope = 'admin';

export const loginCommand: GatewayCommand = {
  name: 'login',
  summary: 'Log in to a gateway in a browser, on this machine or another one.',
  isWithoutKey: true,
  arguments: [],
  options: [
    option(
      'scope',
      'SCOPES',
      `Scopes to request, in quotes, such as "agents:list agents:get". Default: ${defaultScope}.`,
    ),
  ],
  run: async ({ server, loginFile, pause, tell }, given) => {
    // Fails early if the login could not be stored.
    readLogin(loginFile);
    const login = await logIn({ server, scope: given.text('scope') ?? defaultScope, pause, tell });
    writeLogin(loginFile, login);
    return success(`Logged in to ${server}. The login is stored in ${loginFile}.`);
  },
};

export const logoutCommand: GatewayCommand = {
  name: 'logout',
  summary: 'Log out of a gateway, and revoke the stored login.',
  isWithoutKey: true,
  arguments: [],
  options: [],
  run: async ({ server, loginFile }) => {
    const login = readLogin(loginFile);
    if (login === undefined) return success(`You are not logged in to ${server}.`);
    const problem = await logOut(server, login).catch((error: unknown) => {
      if (error instanceof GatewayError) return error.message;
      throw error;
    });
    // The login must not stay on the machine, also if the gateway cannot be reached.
    removeLogin(loginFile);
    const done = success(`Logged out of ${server}.`);
    const warning = `The login was deleted here, but the gateway did not revoke it, so it may be valid until it expires.`;
    return problem === undefined ? done : { ...done, stderr: `${warning} ${visible(problem)}\n` };
  },
};

function success(sentence: string): CommandResult {
  return { stdout: `${sentence}\n`, stderr: '', exitCode: 0 };
}
