import { parseArgs } from 'node:util';
import { UsageError } from './command.js';
import type { Command } from './command.js';
import { commands } from './commands.js';

/** What a command line asks for. */
export type Request =
  | { isHelp: true; command: Command | undefined; group: string | undefined }
  | { isHelp: false; command: Command; values: Record<string, string>; isJson: boolean };

const switches = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** The flags of all commands: which of them belong to the command is told once that is known. */
const flags = Object.fromEntries(
  commands.flatMap(({ options }) => options).map(({ flag }) => [flag, { type: 'string' as const }]),
);

/** @throws {UsageError} naming what is unknown, missing, or given twice. */
export function parseCommandLine(argv: string[]): Request {
  const { tokens } = parseArgs({
    args: argv,
    options: { ...flags, ...switches },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words = tokens.filter((token) => token.kind === 'positional').map(({ value }) => value);
  const given = tokens.filter((token) => token.kind === 'option');
  const [group, verb, ...more] = words;
  const alone = commands.find(({ name }) => name === group);
  const command = alone ?? commands.find(({ name }) => name === `${group} ${verb}`);
  const rest = alone === undefined ? more : words.slice(1);
  if (given.some(({ name }) => name === 'help')) {
    if (command === undefined && group !== undefined) requireGroup(group);
    return { isHelp: true, command, group };
  }
  const stray = given.find(({ name }) => !Object.hasOwn(flags, name) && !Object.hasOwn(switches, name));
  if (stray !== undefined) throw new UsageError(`unknown option ${stray.rawName}; --help lists what there is`);
  if (command === undefined) throw unknownCommand(group, verb);
  const values: Record<string, string> = {};
  for (const { name, rawName, value, inlineValue } of given) {
    if (name === 'json') {
      if (inlineValue) throw new UsageError(`${rawName} takes no value`);
      continue;
    }
    if (!command.options.some(({ flag }) => flag === name)) {
      throw new UsageError(`"${command.name}" takes no option ${rawName}; --help lists what it takes`);
    }
    // A value may start with a dash only after an equals sign: otherwise it is a forgotten value.
    if (value === undefined || (value.startsWith('-') && !inlineValue)) {
      throw new UsageError(`${rawName} needs a value`);
    }
    if (values[name] !== undefined) throw new UsageError(`${rawName} is given twice`);
    values[name] = value;
  }
  readArgument(command, rest, values);
  const missing = command.options.find(({ flag, isRequired }) => isRequired && values[flag] === undefined);
  if (missing !== undefined) throw new UsageError(`"${command.name}" needs --${missing.flag} ${missing.placeholder}`);
  return { isHelp: false, command, values, isJson: given.some(({ name }) => name === 'json') };
}

function readArgument(command: Command, words: string[], values: Record<string, string>): void {
  const { name, argument } = command;
  const [word, ...more] = words;
  const [tooMuch] = argument === undefined ? words : more;
  if (tooMuch !== undefined) throw new UsageError(`"${name}" does not know what to do with "${tooMuch}"`);
  if (argument === undefined) return;
  if (word === undefined) throw new UsageError(`"${name}" needs ${argument.placeholder}`);
  values[argument.flag] = word;
}

function unknownCommand(group: string | undefined, verb: string | undefined): UsageError {
  if (group === undefined) return new UsageError('a command is missing; --help lists them');
  const verbs = requireGroup(group);
  return verb === undefined
    ? new UsageError(`"${group}" needs one of ${verbs.join(', ')}`)
    : new UsageError(`unknown command "${group} ${verb}"; "${group}" takes ${verbs.join(', ')}`);
}

/** The verbs of a group. */
function requireGroup(group: string): string[] {
  const verbs = commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(' ')[1] ?? '');
  if (verbs.length === 0) throw new UsageError(`unknown command "${group}"; --help lists them`);
  return verbs;
}
