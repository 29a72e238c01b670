// Parses and runs commands that are clients of a gateway.
import { parseArgs } from 'node:util';
import { openGateway } from '../manifests/gateway.js';
import { UsageError } from './command.js';
import { failedResult } from './failed-result.js';
import { defaultServer, gatewayOptions } from './gateway-command.js';
import type { GatewayCommand, GatewayOption, GatewaySession, Given } from './gateway-command.js';
import { gatewayCommands } from './gateway-commands.js';
import { currentToken } from './gateway-login.js';
import { gatewayHelp } from './gateway-help.js';
import { loginFileOf, readLogin } from './login-file.js';
import type { CommandResult } from './print.js';

/** The context that the process provides. */
export interface GatewayCommandContext extends Omit<GatewaySession, 'gateway' | 'server' | 'loginFile'> {
  environment: Record<string, string | undefined>;
}

/** Runs a command line if it is one of these commands. Never throws. @returns undefined for another command. */
export async function runIfForGateway(
  argv: string[],
  context: GatewayCommandContext,
): Promise<CommandResult | undefined> {
  const [first, second] = argv;
  const command = gatewayCommands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command === undefined) return undefined;
  const args = argv.slice(command.name.split(' ').length);
  if (args.includes('--help') || args.includes('-h')) {
    return { stdout: gatewayHelp(command), stderr: '', exitCode: 0 };
  }
  return runForGateway(command, args, context);
}

async function runForGateway(
  command: GatewayCommand,
  args: string[],
  context: GatewayCommandContext,
): Promise<CommandResult> {
  try {
    const options = parseGiven(command, args);
    const { environment, ...session } = context;
    const server = serverOf(options.text('server') ?? environment['SERVER'] ?? defaultServer);
    const loginFile = loginFileOf(environment, server);
    const given = options.text('key') ?? environment['KEY'] ?? '';
    const key =
      command.isWithoutKey === true
        ? () => Promise.reject(new UsageError(`"${command.name}" has no key`))
        : keyOf(given, loginFile, server);
    const advice = given === '' ? 'Run "login" again.' : undefined;
    const gateway = openGateway({ server, key, advice, pause: context.pause });
    return await command.run({ gateway, server, loginFile, ...session }, options);
  } catch (error) {
    return failedResult(error);
  }
}

function serverOf(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new UsageError('--server: must be an http:// or https:// URL');
}

/** Returns the credential for each request. The token of a login changes when it is refreshed. */
function keyOf(text: string, loginFile: string, server: string): () => Promise<string> {
  if (text === '') {
    if (readLogin(loginFile) !== undefined) return () => currentToken(loginFile, server);
    throw new UsageError('missing key. Run "login", set the environment variable KEY, or use --key');
  }
  // It is sent in a header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError('--key: must be an API key or access token');
  return () => Promise.resolve(text);
}

/** @throws {UsageError} */
function parseGiven(command: GatewayCommand, args: string[]): Given {
  const options = [...command.options, ...gatewayOptions];
  const { values, positionals } = parsed(options, args);
  const [tooMuch] = positionals.slice(command.arguments.length);
  if (tooMuch !== undefined) throw new UsageError(`"${command.name}": unexpected argument "${tooMuch}"`);
  const texts = new Map<string, string>();
  for (const { flag, short, placeholder, isSwitch, isRequired } of options) {
    const all = values[flag];
    const [first, second] = Array.isArray(all) ? all : [all];
    const name = `${short === undefined ? '' : `-${short}, `}--${flag}`;
    if (second !== undefined) throw new UsageError(`${name} is set twice`);
    if (first === '') throw new UsageError(`${name} requires a value`);
    if (first !== undefined) texts.set(flag, String(first));
    else if (isRequired && isSwitch !== true) throw new UsageError(`"${command.name}" requires ${name} ${placeholder}`);
  }
  for (const [index, { flag, placeholder, isRequired }] of command.arguments.entries()) {
    const argument = positionals[index];
    if (argument !== undefined) texts.set(flag, argument);
    else if (isRequired) throw new UsageError(`"${command.name}" requires ${placeholder}`);
  }
  return { text: (flag) => texts.get(flag), has: (flag) => texts.has(flag) };
}

function parsed(options: GatewayOption[], args: string[]) {
  try {
    return parseArgs({
      args,
      options: Object.fromEntries(
        options.map(({ flag, short, isSwitch }) => [
          flag,
          { type: isSwitch ? ('boolean' as const) : ('string' as const), multiple: true, ...(short ? { short } : {}) },
        ]),
      ),
      allowPositionals: true,
    });
  } catch (error) {
    // The first sentence of Node's message names the option. The others give advice.
    const [sentence = 'The command line is not valid'] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    throw new UsageError(`${sentence}. Run --help to list the options`);
  }
}
