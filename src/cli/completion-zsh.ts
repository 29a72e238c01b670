import type { CompletedCommand, CompletedOption, Completion } from './completed-command.js';

/** The completion of zsh, with descriptions. Letters match in either case, because kinds are accepted in any. */
export function zshScript(commands: CompletedCommand[]): string {
  const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  return `#compdef control-plane
# zsh completion of control-plane. Load it after compinit with: source <(control-plane completion zsh)
_control_plane() {
  local -a names
  if [[ $words[2] == help ]] && ((CURRENT > 2)); then
    shift words
    ((CURRENT--))
  fi
  if ((CURRENT == 2)); then
    names=(
${groups.map((group) => `      ${quoted(`${group}:${summaryOf(commands, group)}`)}`).join('\n')}
      'help:Print help.' '--help:Print help.' '--version:Print the version.'
    )
    _describe -t commands command names
    return
  fi
  case $words[2] in
${groups.map((group) => groupCase(commands, group)).join('\n')}
  esac
}

_control_plane_values() {
  compadd -M 'm:{a-zA-Z}={A-Za-z}' "$@"
}

compdef _control_plane control-plane
`;
}

function summaryOf(commands: CompletedCommand[], group: string): string {
  const alone = commands.find(({ name }) => name === group);
  const verbs = commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(' ')[1]);
  return alone?.summary ?? verbs.join(', ');
}

function groupCase(commands: CompletedCommand[], group: string): string {
  const alone = commands.find(({ name }) => name === group);
  if (alone !== undefined) return `    ${group})\n${argumentsOf(alone, 1)}\n      ;;`;
  const verbs = commands.filter(({ name }) => name.startsWith(`${group} `));
  const verbOf = ({ name }: CompletedCommand) => name.split(' ')[1] ?? '';
  return `    ${group})
      if ((CURRENT == 3)); then
        names=(
${verbs.map((command) => `          ${quoted(`${verbOf(command)}:${command.summary}`)}`).join('\n')}
        )
        _describe -t commands command names
        return
      fi
      case $words[3] in
${verbs.map((command) => `        ${verbOf(command)})\n${argumentsOf(command, 2)}\n          ;;`).join('\n')}
      esac
      ;;`;
}

/** `_arguments` completes the words after the name of the command. */
function argumentsOf({ arguments: places, options }: CompletedCommand, words: number): string {
  const specs = [
    ...places.map((place, index) => quoted(`${index + 1}:${escaped(place.placeholder)}:${actionOf(place)}`)),
    ...options.flatMap(optionSpecs),
  ];
  return [
    `          shift ${words} words`,
    `          ((CURRENT -= ${words}))`,
    `          _arguments -s ${specs.join(' ')}`,
  ].join('\n');
}

function optionSpecs(option: CompletedOption): string[] {
  const { flag, short, placeholder, description, isSwitch } = option;
  const value = isSwitch ? '' : `:${escaped(placeholder)}:${actionOf(option)}`;
  const about = `[${escaped(description)}]`;
  return [
    quoted(`--${flag}${isSwitch ? '' : '='}${about}${value}`),
    ...(short === undefined ? [] : [quoted(`-${short}${about}${value}`)]),
  ];
}

function actionOf({ values, isPath }: Completion): string {
  if (isPath) return '_files';
  return values.length === 0 ? ' ' : `_control_plane_values ${values.join(' ')}`;
}

/** `_arguments` reads colons and brackets. */
function escaped(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, (character) => `\\${character}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
