import type { CompletedCommand, CompletedOption, Completion } from './completed-command.js';

/** The completion of fish, with descriptions. Fish matches letters in either case. */
export function fishScript(commands: CompletedCommand[]): string {
  const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  return `# fish completion of control-plane. Load it with: control-plane completion fish | source
# Whether the words before the cursor that are no options start with these.
function __control_plane_at
    set -l words (string match -v -- '-*' (commandline -opc))[2..]
    test "$words[1]" = help; and set -e words[1]
    set -l last (count $argv)
    if test $last -eq 0
        test (count $words) -eq 0
        return
    end
    test "$words[1..$last]" = "$argv"
end

# Whether a command and this number of arguments are before the cursor. The values of options do not count.
function __control_plane_place
    set -l tokens (commandline -opc)[2..]
    test "$tokens[1]" = help; and set -e tokens[1]
    set -l names (string split ' ' -- $argv[1])
    for name in $names
        test "$tokens[1]" = $name; or return 1
        set -e tokens[1]
    end
    set -l places 0
    while set -q tokens[1]
        if contains -- $tokens[1] (string split ' ' -- $argv[3])
            set -e tokens[1]
        else if not string match -q -- '-*' $tokens[1]
            set places (math $places + 1)
        end
        set -e tokens[1]
    end
    test $places -eq $argv[2]
end

complete -c control-plane -f
complete -c control-plane -n __control_plane_at -l help -d 'Print help.'
complete -c control-plane -n __control_plane_at -l version -d 'Print the version.'
complete -c control-plane -n __control_plane_at -a help -d 'Print help.'
${groups.map((group) => groupLines(commands, group)).join('\n')}
`;
}

function groupLines(commands: CompletedCommand[], group: string): string {
  const alone = commands.find(({ name }) => name === group);
  const verbs = commands.filter(({ name }) => name.startsWith(`${group} `));
  const verbOf = ({ name }: CompletedCommand) => name.split(' ')[1] ?? '';
  const about = alone?.summary ?? verbs.map(verbOf).join(', ');
  return [
    `complete -c control-plane -n __control_plane_at -a ${group} -d ${quoted(about)}`,
    ...verbs.map(
      (command) =>
        `complete -c control-plane -n ${quoted(`__control_plane_place ${group} 0 ""`)} ` +
        `-a ${verbOf(command)} -d ${quoted(command.summary)}`,
    ),
    ...(alone === undefined ? verbs : [alone]).flatMap(commandLines),
  ].join('\n');
}

function commandLines({ name, arguments: places, options }: CompletedCommand): string[] {
  const valued = options.filter(({ isSwitch }) => !isSwitch).flatMap(formsOf);
  return [
    ...places.flatMap((place, index) => {
      const at = quoted(`__control_plane_place "${name}" ${index} "${valued.join(' ')}"`);
      return place.values.length === 0 && !place.isPath ? [] : [`complete -c control-plane -n ${at} ${valueOf(place)}`];
    }),
    ...options.map((option) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const value = option.isSwitch ? '' : ` ${option.isPath ? '-r' : '-x'} ${valueOf(option)}`.trimEnd();
      const about = option.description === '' ? '' : ` -d ${quoted(option.description)}`;
      return `complete -c control-plane -n '__control_plane_at ${name}'${short} -l ${option.flag}${value}${about}`;
    }),
  ];
}

const formsOf = ({ flag, short }: CompletedOption): string[] => [
  `--${flag}`,
  ...(short === undefined ? [] : [`-${short}`]),
];

function valueOf({ values, isPath }: Completion): string {
  if (isPath) return '-F';
  return values.length === 0 ? '' : `-a ${quoted(values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
