// The result of a command line before it needs a database.
import { describe, expect, it } from 'vitest';
import type { Option } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands.js';
import { usageLine } from '../../src/cli/help.js';
import { gatewayCommands } from '../../src/cli/gateway-commands.js';
import { programs } from '../../src/cli/programs.js';
import { withHelpOption } from '../../src/cli/help-parts.js';
import { prepareCommandLine } from '../../src/cli/run.js';
import type { CommandResult } from '../../src/cli/print.js';

function resultOf(...argv: string[]): CommandResult {
  const prepared = prepareCommandLine(argv);
  if ('run' in prepared) throw new Error('it needs a database');
  return prepared.result;
}

describe('help', () => {
  it('lists every command', () => {
    const { stdout, exitCode } = resultOf('--help');
    expect(exitCode).toBe(0);
    for (const { name, summary } of commands) {
      expect(stdout).toContain(`  ${name} `);
      expect(stdout).toContain(`  ${summary}\n`);
    }
  });

  it.each(programs.map(({ name, usage, summary }) => ({ name, usage, summary })))(
    'of "$name" says what it does, with --help, -h and help',
    ({ name, usage, summary }) => {
      for (const argv of [
        [name, '--help'],
        [name, '-h'],
        ['help', name],
      ]) {
        expect(resultOf(...withHelpOption(argv))).toEqual({
          stdout: `Usage: control-plane ${usage}\n\n${summary}\n`,
          stderr: '',
          exitCode: 0,
        });
      }
      expect(resultOf(name, 'more').stderr).toContain(`Run "${name} --help" for its usage`);
    },
  );

  it('is printed by the command help, for all commands or one', () => {
    expect(resultOf(...withHelpOption(['help']))).toEqual(resultOf('--help'));
    for (const { name } of commands) {
      expect(resultOf(...withHelpOption(['help', ...name.split(' ')]))).toEqual(resultOf(...name.split(' '), '--help'));
    }
  });

  it('has one meaning for each option of several commands', () => {
    const all = [commands, gatewayCommands].flat().flatMap((command): Option[] => command.options);
    for (const flag of ['dry-run', 'json']) {
      const same = all.filter((option) => option.flag === flag);
      expect(same.map(({ isSwitch, placeholder }) => [isSwitch, placeholder])).toEqual(same.map(() => [true, '']));
    }
    expect(all.filter(({ flag }) => flag === 'dry-run').length).toBeGreaterThan(2);
    expect(new Set(all.filter(({ flag }) => flag === 'dry-run').map(({ description }) => description)).size).toBe(1);
  });

  it('lists the commands of a group', () => {
    const { stdout } = resultOf('members', '-h');
    expect(stdout).toContain('members set');
    expect(stdout).not.toContain('keys create');
  });

  it.each(commands.map((command) => ({ name: command.name, command })))(
    'of "$name" describes its argument and its options',
    ({ name, command }) => {
      const { stdout, exitCode } = resultOf(...name.split(' '), '--help');
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`Usage: ${usageLine(command)}\n`);
      for (const { flag, description } of command.options) {
        expect(stdout).toContain(`--${flag} `);
        expect(description).toMatch(/\.$/);
        expect(stdout).toContain(description);
      }
    },
  );
});

describe('An invalid command line', () => {
  it.each([
    ['', 'missing command. Run --help to list the commands'],
    ['audit export --json', '"audit export" has no option --json. --format chooses the form'],
    ['--json', 'missing command. Run --help to list the commands'],
    ['bogus', 'unknown command "bogus". Run --help to list the commands'],
    ['accounts creat', 'unknown command "accounts creat". Did you mean "accounts create"?'],
    ['accounts creat --help', 'unknown command "accounts creat". Did you mean "accounts create"?'],
    ['accounts drop --help', 'unknown command "accounts drop". "accounts" has: create, list, update, delete'],
    ['acounts --help', 'unknown command "acounts". Did you mean "accounts"?'],
    ['aply', 'unknown command "aply". Did you mean "apply"?'],
    ['migrat --help', 'unknown command "migrat". Did you mean "migrate"?'],
    ['usage void --account a --reason b --dry-run=no', '--dry-run does not accept a value'],
    ['usage void --account a --reason b --dry-run --dry-run', '--dry-run is set twice'],
    ['usage void --account a --reason b --dry-run yes', '"usage void": unexpected argument "yes"'],
    ['bogus --help', 'unknown command "bogus". Run --help to list the commands'],
    ['constructor create', 'unknown command "constructor". Run --help to list the commands'],
    ['accounts', '"accounts" requires one of: create, list, update, delete'],
    ['accounts drop', 'unknown command "accounts drop". "accounts" has: create, list, update, delete'],
    ['diff -f platform', 'unknown command "diff". Run --help to list the commands'],
    ['aply --file platform', 'unknown command "aply". Did you mean "apply"?'],
    ['--bogus diff', 'unknown option --bogus. Run --help to list the options'],
    ['--bogus accounts list', 'unknown option --bogus. Run --help to list the options'],
    ['accounts list -x', 'unknown option -x. Run --help to list the options'],
    ['accounts list --constructor', 'unknown option --constructor. Run --help to list the options'],
    [
      'accounts list --plan pro',
      '"accounts list" has no option --plan. Run "accounts list --help" to list its options',
    ],
    ['accounts list acme', '"accounts list": unexpected argument "acme"'],
    ['accounts create', '"accounts create" requires NAME'],
    ['accounts create acme --plan', '--plan requires a value'],
    ['workspaces create prod --account --json', '--account requires a value'],
    ['workspaces create prod', '"workspaces create" requires --account ACCOUNT'],
    ['workspaces create prod --account a --account b', '--account is set twice'],
    ['accounts list --json=yes', '--json does not accept a value'],
  ])('"%s" prints one line and exits with 2', (line, message) => {
    const argv = line.split(' ').filter((word) => word !== '');
    expect(resultOf(...argv)).toEqual({ stdout: '', stderr: `${message}\n`, exitCode: 2 });
  });

  it('prints no line breaks or terminal control characters', () => {
    expect(resultOf('a\nb\u001b[2J').stderr).toBe(
      'unknown command "a\\u000ab\\u001b[2J". Run --help to list the commands\n',
    );
  });
});
