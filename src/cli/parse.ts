import { parseArgs } from 'node:util';
import { streamsOut, UsageError } from './command.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { gatewayCommands } from './gateway-commands.js';
import { programs } from './programs.js';
import { isNear } from '../config/near-name.js';

/** A parsed command line. */
export type Request =
  | { isHelp: true; command: Command | undefined; group: string | undefined }
  | { isHelp: false; command: Command; values: Record<string, string>; isJson: boolean };

const switches = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** The flags of all commands. They are checked again once the command is known. */
const flags = Object.fromEntries(
  commands
    .flatMap(({ options }) => options)
    .map(({ flag, isSwitch }) => [flag, { type: isSwitch ? ('boolean' as const) : ('string' as const) }]),
);

/** @throws {UsageError} naming the part that is unknown, missing or repeated. */
export function parseCommandLine(argv: string[]): Request {
  const { tokens } = parseArgs({
    args: argv,
    options: { ...flags, ...switches },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args = tokens.filter((token) => token.kind === 'positional').map(({ value }) => value);
  const options = tokens.filter((token) => token.kind === 'option');
  const [group, verb, ...more] = args;
  const alone = commands.find(({ name }) => name === group);
  const command = alone ?? commands.find(({ name }) => name === `${group} ${verb}`);
  const rest = alone === undefined ? more : args.slice(1);
  if (options.some(({ name }) => name === 'help')) {
    if (command === undefined && group !== undefined && !isProgram(group)) {
      requireGroup(group);
      if (verb !== undefined) throw unknownCommand(group, verb);
    }
    return { isHelp: true, command, group };
  }
  // An option of a command that does not exist is unknown too.
  if (command === undefined && group !== undefined && group === argv[0] && !isProgram(group)) requireGroup(group);
  const stray = options.find(({ name }) => !Object.hasOwn(flags, name) && !Object.hasOwn(switches, name));
  if (stray !== undefined) throw new UsageError(`unknown option ${stray.rawName}. Run --help to list the options`);
  if (command === undefined) throw unknownCommand(group, verb);
  const values: Record<string, string> = {};
  for (const { name, rawName, value, inlineValue } of options) {
    if (name === 'json') {
      if (streamsOut(command))
        throw new UsageError(`"${command.name}" has no option --json. --format chooses the form`);
      if (inlineValue) throw new UsageError(`${rawName} does not accept a value`);
      continue;
    }
    const option = command.options.find(({ flag }) => flag === name);
    if (option === undefined) {
      throw new UsageError(
        `"${command.name}" has no option ${rawName}. Run "${command.name} --help" to list its options`,
      );
    }
    if (option.isSwitch) {
      if (inlineValue) throw new UsageError(`${rawName} does not accept a value`);
      if (values[name] !== undefined) throw new UsageError(`${rawName} is set twice`);
      values[name] = 'yes';
      continue;
    }
    // A value can start with a dash only after an equals sign. Otherwise the value was probably forgotten.
    if (value === undefined || (value.startsWith('-') && !inlineValue)) {
      throw new UsageError(`${rawName} requires a value`);
    }
    if (values[name] !== undefined) throw new UsageError(`${rawName} is set twice`);
    values[name] = value;
  }
  readArgument(command, rest, values);
  const missing = command.options.find(({ flag, isRequired }) => isRequired && values[flag] === undefined);
  if (missing !== undefined)
    throw new UsageError(`"${command.name}" requires --${missing.flag} ${missing.placeholder}`);
  return { isHelp: false, command, values, isJson: options.some(({ name }) => name === 'json') };
}

function readArgument(command: Command, args: string[], values: Record<string, string>): void {
  const { name, argument } = command;
  const [arg, ...more] = args;
  const [tooMuch] = argument === undefined ? args : more;
  if (tooMuch !== undefined) throw new UsageError(`"${name}": unexpected argument "${tooMuch}"`);
  if (argument === undefined) return;
  if (arg === undefined) throw new UsageError(`"${name}" requires ${argument.placeholder}`);
  values[argument.flag] = arg;
}

function unknownCommand(group: string | undefined, verb: string | undefined): UsageError {
  if (group === undefined) return new UsageError('missing command. Run --help to list the commands');
  const verbs = requireGroup(group);
  if (verb === undefined) return new UsageError(`"${group}" requires one of: ${verbs.join(', ')}`);
  const near = verbs.find((each) => isNear(each, verb));
  const hint = near === undefined ? `"${group}" has: ${verbs.join(', ')}` : `Did you mean "${group} ${near}"?`;
  return new UsageError(`unknown command "${group} ${verb}". ${hint}`);
}

/** The verbs of a group. */
function requireGroup(group: string): string[] {
  const ofGroup = [...commands, ...gatewayCommands].filter(({ name }) => name.startsWith(`${group} `));
  const verbs = ofGroup.map(({ name }) => name.split(' ')[1] ?? '');
  if (verbs.length > 0) return verbs;
  if (isProgram(group)) throw new UsageError(`"${group}": unexpected arguments. Run "${group} --help" for its usage`);
  const words = [...commands, ...gatewayCommands, ...programs].map(({ name }) => name.split(' ')[0] ?? '');
  const near = words.find((each) => isNear(each, group));
  const hint = near === undefined ? 'Run --help to list the commands' : `Did you mean "${near}"?`;
  throw new UsageError(`unknown command "${group}". ${hint}`);
}

function isProgram(name: string): boolean {
  return programs.some((each) => each.name === name);
}
