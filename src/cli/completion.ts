// `control-plane completion SHELL` prints a script for bash, zsh or fish. It is generated from the table of commands that
// the help shows, so a key press of the user starts no process.
import { bashScript } from './completion-bash.js';
import { fishScript } from './completion-fish.js';
import { zshScript } from './completion-zsh.js';
import type { Option } from './command.js';
import type { CompletedCommand, CompletedOption } from './completed-command.js';
import { commands } from './commands.js';
import { gatewayOptions, jsonOption, option, switchOption } from './gateway-command.js';
import type { GatewayOption } from './gateway-command.js';
import { gatewayCommands } from './gateway-commands.js';
import type { CommandResult } from './print.js';
import { programs, shells } from './programs.js';
import type { Program } from './programs.js';

const usageExitCode = 2;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Runs the command line if it is this command. @returns undefined for another command. */
export function runCompletion(argv: string[]): CommandResult | undefined {
  const [command, word, ...more] = argv;
  if (command !== 'completion' || argv.includes('--help') || argv.includes('-h')) return undefined;
  const shell = shells.find((each) => each === word);
  if (shell === undefined || more.length > 0) {
    return { stdout: '', stderr: `Usage: completion ${shells.join('|')}\n`, exitCode: usageExitCode };
  }
  return { stdout: scripts[shell](completedCommands()), stderr: '', exitCode: 0 };
}

/** All commands with their options, in the order of the help. */
export function completedCommands(): CompletedCommand[] {
  return [
    ...gatewayCommands.map((command) => ({
      name: command.name,
      summary: command.summary,
      arguments: command.arguments.map(argumentOf),
      options: [...command.options, ...gatewayOptions].map(optionOf),
    })),
    ...commands.map(({ name, summary, argument, options }) => ({
      name,
      summary,
      arguments: argument === undefined ? [] : [argumentOf(argument)],
      options: [...options, ...(options.some(({ flag }) => flag === 'output') ? [] : [jsonOption])].map(optionOf),
    })),
    ...programs.map(programOf),
  ].map((command) => ({ ...command, options: [...command.options, help] }));
}

const help = optionOf({ ...switchOption('help', 'Print help.'), short: 'h' });

function optionOf(known: GatewayOption): CompletedOption {
  const { flag, short, description, isSwitch = false } = known;
  return { flag, short, description, isSwitch, ...argumentOf(known) };
}

function argumentOf({ placeholder, values = [] }: Pick<Option, 'placeholder' | 'values'>) {
  return { placeholder, values, isPath: /FILE|FOLDER/.test(placeholder) };
}

/** The options of a program stand in its usage: `migrate [--check] [--json]`. */
function programOf({ name, usage, summary }: Program): CompletedCommand {
  const flags = [...usage.matchAll(/--([a-z-]+)(?: ([A-Z]+))?/g)];
  const places = usage
    .replaceAll(/\[.*?\]/g, '')
    .split(' ')
    .slice(1)
    .filter((place) => place !== '');
  return {
    name,
    summary,
    arguments: places.map((placeholder) =>
      argumentOf({ placeholder, values: placeholder.includes('|') ? placeholder.split('|') : [] }),
    ),
    options: flags.map(([, flag = '', placeholder = '']) =>
      optionOf(placeholder === '' ? switchOption(flag, '') : option(flag, placeholder, '')),
    ),
  };
}
