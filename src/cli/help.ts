import { streamsOut } from './command.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import type { GatewayCommand } from './gateway-command.js';
import { gatewayCommands } from './gateway-commands.js';
import { columns, explanation } from './help-parts.js';
import { programs } from './programs.js';
import type { Program } from './programs.js';

/** The usage line. Optional parts are in brackets. */
export function usageLine({ name, argument, options }: Command): string {
  const flags = options.map((option) => {
    const text = `--${option.flag} ${option.placeholder}`.trimEnd();
    return option.isRequired ? text : `[${text}]`;
  });
  return [name, ...(argument === undefined ? [] : [argument.placeholder]), ...flags].join(' ');
}

/** Help for one command, or for all commands of a group. */
export function helpText(command: Command | undefined, group: string | undefined): string {
  const program = programs.find(({ name }) => name === group);
  if (program !== undefined) return `Usage: control-plane ${program.usage}\n\n${program.summary}\n`;
  return command === undefined ? overview(group) : detail(command);
}

function overview(group: string | undefined): string {
  const isShown = ({ name }: { name: string }) => group === undefined || name.startsWith(`${group} `);
  const shown = commands.filter(isShown);
  const clients = gatewayCommands.filter(isShown);
  const common = ['', 'Options:', ...columns(commonOptions), ''];
  if (shown.length === 0)
    return ['Usage: control-plane COMMAND [OPTIONS]', '', ...clientLines(clients), ...common].join('\n');
  return [
    'Usage: control-plane COMMAND [OPTIONS]',
    '',
    ...(group === undefined ? [...starts, ...clientLines(clients), ''] : []),
    'These commands use the database of DATABASE_URL or DATA_DIR. The gateway may be running.',
    '',
    'Commands:',
    ...columns([
      ...shown.map(({ name, summary }) => ({ left: name, right: summary })),
      ...(group === undefined ? programs.filter(({ startsGateway }) => !startsGateway).map(programLine) : []),
    ]),
    ...common,
  ].join('\n');
}

const programLine = ({ usage, summary }: Program) => ({ left: usage, right: summary });

const starts = [
  'Commands that start a gateway:',
  ...columns(programs.filter(({ startsGateway }) => startsGateway).map(programLine)),
  '',
];

/** The lines about commands that are clients of a running gateway. */
function clientLines(shown: readonly GatewayCommand[]): string[] {
  return [
    'Commands for a running gateway (they need its URL, and a key or a login):',
    ...columns(shown.map((command) => ({ left: command.name, right: command.summary }))),
  ];
}

function detail(command: Command): string {
  const { argument, options } = command;
  const lines = [
    ...(argument === undefined ? [] : [{ left: argument.placeholder, right: argument.description }]),
    ...options.map((option) => ({
      left: `--${option.flag} ${option.placeholder}`.trimEnd(),
      right: explanation(option),
    })),
    ...commonOptions.filter(({ left }) => left !== '--json' || !streamsOut(command)),
  ];
  return [`Usage: ${usageLine(command)}`, '', command.summary, '', ...columns(lines), ''].join('\n');
}

const commonOptions = [
  { left: '--json', right: 'Print JSON.' },
  { left: '-h, --help', right: 'Print help. After a command, print its help.' },
  { left: '--version', right: 'Print the version.' },
];
