import type { CompletedCommand, CompletedOption, Completion } from './completed-command.js';

/** The completion of bash 3.2 or newer. Letters match in either case, because kinds are accepted in any. */
export function bashScript(commands: CompletedCommand[]): string {
  const first = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')), 'help', '--help', '--version'];
  const groups = new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])));
  const verbs = [...groups].map((group) => {
    const ofGroup = commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(' ')[1]);
    return `    ${group}) verbs='${ofGroup.join(' ')}' ;;`;
  });
  return `# bash completion of control-plane. Load it with: source <(control-plane completion bash)
_control_plane() {
  local current typed previous command verbs='' options='' valued='' values='' paths='' word index places=0 from=2
  local words=() last=-1 joined=''
  # Bash separates words at equals signs and colons, as in --option=value and http://host. They are joined again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    typed=\${COMP_WORDS[index]}
    if ((last >= 0)) && [[ -n $joined || $typed =~ ^[=:]+$ ]]; then
      words[last]+=$typed
    else
      words[++last]=$typed
    fi
    joined=''
    [[ $typed =~ ^[=:]+$ ]] && joined=yes typed=''
  done
  current=\${words[last]}
  unset "words[last]"
  if [[ $current == --*=* ]]; then
    words[last]=\${current%%=*}
    current=\${current#*=}
  fi
  [[ \${words[0]} == help ]] && words=("\${words[@]:1}")
  COMPREPLY=()
  if ((\${#words[@]} == 0)); then
    _control_plane_match '${first.join(' ')}'
    return
  fi
  command=\${words[0]}
  case $command in
${verbs.join('\n')}
  esac
  if [[ -n $verbs ]]; then
    if ((\${#words[@]} == 1)); then
      _control_plane_match "$verbs --help"
      return
    fi
    command="$command \${words[1]}"
    from=3
  fi
  case $command in
${commands.map(optionsOf).join('\n')}
  esac
  for ((index = from - 1; index < \${#words[@]}; index++)); do
    word=\${words[index]}
    if [[ " $valued " == *" $word "* ]]; then
      ((index++))
    elif [[ $word != -* ]]; then
      ((places++))
    fi
  done
  previous=\${words[\${#words[@]} - 1]}
  # An option whose value is being typed is the last word.
  if ((index > \${#words[@]})); then word=$previous; else word=$places; fi
  case $command:$word in
${commands.flatMap(valuesOf).join('\n')}
  esac
  if ((index <= \${#words[@]})) && [[ $current == -* || -z $values$paths ]]; then
    _control_plane_match "$options"
  elif [[ -n $paths ]]; then
    # A line for each name, which can contain spaces. Bash replaces only the part behind the last colon.
    while IFS='' read -r word; do
      COMPREPLY+=("\${word#"\${current%"$typed"}"}")
    done < <(compgen -f -- "$current")
  else
    _control_plane_match "$values"
  fi
}

_control_plane_match() {
  local word matched
  matched=$(shopt -p nocasematch)
  shopt -s nocasematch
  for word in $1; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
  $matched
}

complete -o filenames -o bashdefault -F _control_plane control-plane
`;
}

const formsOf = ({ flag, short }: CompletedOption): string[] => [
  `--${flag}`,
  ...(short === undefined ? [] : [`-${short}`]),
];

function optionsOf({ name, options }: CompletedCommand): string {
  const valued = options.filter(({ isSwitch }) => !isSwitch).flatMap(formsOf);
  return `    '${name}') options='${options.map(({ flag }) => `--${flag}`).join(' ')}' valued='${valued.join(' ')}' ;;`;
}

/** The values of options, and of arguments by their number from 0. */
function valuesOf({ name, arguments: places, options }: CompletedCommand): string[] {
  const entry = (keys: string[], { values, isPath }: Completion) =>
    values.length === 0 && !isPath
      ? []
      : [
          `    ${keys.map((key) => `'${name}:${key}'`).join('|')}) ${isPath ? 'paths=yes' : `values='${values.join(' ')}'`} ;;`,
        ];
  return [
    ...places.flatMap((place, index) => entry([String(index)], place)),
    ...options.filter(({ isSwitch }) => !isSwitch).flatMap((option) => entry(formsOf(option), option)),
  ];
}
