// `login` and `logout`: the command line acts for whoever agreed in a browser, on this machine or another.
import { logIn, logOut } from './gateway-login.js';
import type { GatewayCommand } from './gateway-command.js';
import { readLogin, writeLogin } from './login-file.js';
import type { CommandResult } from './print.js';

/** Everything that the user may do; they choose less where they agree. */
const defaultScope = 'admin';

export const loginCommand: GatewayCommand = {
  name: 'login',
  summary: 'Let this command line act for you: you agree in a browser, on this machine or another.',
  isWithoutKey: true,
  arguments: [],
  options: [
    {
      flag: 'scope',
      placeholder: 'SCOPES',
      description: `What it asks for, in quotes, such as "agents:list agents:get"; ${defaultScope} unless it is said.`,
      isRequired: false,
    },
  ],
  run: async ({ server, loginFile, pause, tell }, given) => {
    // What cannot be kept is not worth agreeing to.
    readLogin(loginFile, server);
    const login = await logIn({ server, scope: given.text('scope') ?? defaultScope, pause, tell });
    writeLogin(loginFile, server, login);
    return said(`Logged in to ${server}. It is kept in ${loginFile}.`);
  },
};

export const logoutCommand: GatewayCommand = {
  name: 'logout',
  summary: 'End what "login" began, here and at the gateway.',
  isWithoutKey: true,
  arguments: [],
  options: [],
  run: async ({ server, loginFile }) => {
    const login = readLogin(loginFile, server);
    if (login === undefined) return said(`There is no login for ${server}.`);
    await logOut(server, login);
    writeLogin(loginFile, server, undefined);
    return said(`Logged out of ${server}.`);
  },
};

function said(sentence: string): CommandResult {
  return { stdout: `${sentence}\n`, stderr: '', exitCode: 0 };
}
