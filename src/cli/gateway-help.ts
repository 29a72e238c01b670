// The help of commands that are clients of a gateway.
import { gatewayOptions } from './gateway-command.js';
import type { GatewayCommand, GatewayOption } from './gateway-command.js';
import { columns, explanation } from './help-parts.js';

/** The usage line of a command that is a client of a gateway, without the options of all such commands. */
function gatewayUsageLine({ name, arguments: words, options }: GatewayCommand): string {
  const flags = options.map((option) => {
    const text = [dashed(option), option.placeholder].filter((part) => part !== '').join(' ');
    return option.isRequired ? text : `[${text}]`;
  });
  const places = words.map(({ placeholder, isRequired }) => (isRequired ? placeholder : `[${placeholder}]`));
  return [name, ...places, ...flags].join(' ');
}

function dashed({ flag, short }: GatewayOption): string {
  return short === undefined ? `--${flag}` : `-${short}`;
}

/** Help for a command that is a client of a gateway. */
export function gatewayHelp(command: GatewayCommand): string {
  const lines = [
    ...command.arguments.map((option) => ({ left: option.placeholder, right: explanation(option) })),
    ...[...command.options, ...gatewayOptions].map((option) => ({
      left: `${option.short === undefined ? '' : `-${option.short}, `}--${option.flag} ${option.placeholder}`.trimEnd(),
      right: explanation(option),
    })),
    { left: '-h, --help', right: 'Print this help.' },
  ];
  return [`Usage: ${gatewayUsageLine(command)}`, '', command.summary, '', ...columns(lines), ''].join('\n');
}
