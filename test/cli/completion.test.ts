// The scripts of `completion`, run by the shells.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completedCommands, runCompletion } from '../../src/cli/completion.js';
import { shells } from '../../src/cli/programs.js';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

const has = (program: string) => existsSync(`/usr/bin/${program}`) || existsSync(`/bin/${program}`);

function scriptOf(shell: string): string {
  const file = join(folder, `script.${shell}`);
  writeFileSync(file, runCompletion(['completion', shell])?.stdout ?? '');
  return file;
}

const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'dumb' };

/** Stands after the candidates of each line. */
const endOfLine = '<end>';

/** The candidates of bash for each line, whose last word is being typed. */
function completeInBash(lines: string[]): string[][] {
  const calls = lines.map((line) => {
    const words = line.split(/ |(?<=[=:])|(?=[=:])/);
    return `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _control_plane; (IFS=' '; echo "\${COMPREPLY[*]}")`;
  });
  const program = `source '${scriptOf('bash')}'\n${calls.join('\n')}`;
  const output = execFileSync('bash', ['--norc', '-c', program], { cwd: folder, env: environment, encoding: 'utf8' });
  return output.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
}

/** The candidates of fish for each line, without their descriptions. */
function completeInFish(lines: string[]): string[][] {
  const calls = lines.map((line) => `complete -C '${line}'; echo '${endOfLine}'`);
  const program = `source '${scriptOf('fish')}'\n${calls.join('\n')}`;
  const output = execFileSync('fish', ['--no-config', '-c', program], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  return output
    .split(`${endOfLine}\n`)
    .map((each) => each.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0] ?? ''])));
}

/** Types lines with tab keys on a terminal. @returns the arguments that the program gets from each */
async function typed(shell: 'bash' | 'zsh' | 'fish', lines: string[]): Promise<string[][]> {
  const start = {
    bash: `bash --norc --noprofile -i`,
    zsh: 'zsh -f -i',
    fish: 'fish --no-config -i',
  }[shell];
  const file = join(folder, 'arguments');
  const setUp = {
    bash: `bind 'set enable-bracketed-paste off'; source ${scriptOf('bash')}; control-plane() { printf '%s\\n' "$@" > ${file}; echo wri''tten; }`,
    zsh: `autoload -U compinit; compinit -u -D; zstyle ':completion:*' insert-tab false; source ${scriptOf('zsh')}; control-plane() { print -rl -- "$@" > ${file}; echo wri''tten; }`,
    fish: `source ${scriptOf('fish')}; function control-plane; printf '%s\\n' $argv > ${file}; echo wri''tten; end`,
  }[shell];
  const terminal = spawn('script', ['-qec', start, '/dev/null'], { cwd: folder, env: environment });
  let output = '';
  terminal.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const until = async (text: RegExp) => {
    await expect.poll(() => output, { timeout: 20_000, interval: 20 }).toMatch(text);
  };
  terminal.stdin.write(`${setUp}; echo re''ady\r`);
  await until(/ready\r?\n/);
  const got: string[][] = [];
  for (const line of lines) {
    output = '';
    terminal.stdin.write(`${line}\r`);
    await until(/written/);
    got.push(readFileSync(file, 'utf8').trimEnd().split('\n'));
  }
  terminal.stdin.write('exit\r');
  await once(terminal, 'exit');
  return got;
}

describe('completion', () => {
  it.each([[], ['tcsh'], ['bash', 'zsh']])('requires one of its shells: %s', (...words) => {
    expect(runCompletion(['completion', ...words])).toEqual({
      stdout: '',
      stderr: 'Usage: completion bash|zsh|fish\n',
      exitCode: 2,
    });
  });

  it.each(shells.filter(has))('prints a valid script for %s', (shell) => {
    const check = () => execFileSync(shell, [shell === 'fish' ? '--no-execute' : '-n', scriptOf(shell)]);
    expect(check).not.toThrow();
  });

  it('completes every command and every option in bash', () => {
    const commands = completedCommands();
    const names = commands.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['get', 'accounts create', 'migrate', 'completion']));
    const answers = completeInBash(
      names.flatMap((name) => [`control-plane ${name}`, `control-plane help ${name}`, `control-plane ${name} --`]),
    );
    for (const [index, { name, options }] of commands.entries()) {
      const last = name.split(' ').at(-1);
      expect(answers[3 * index]).toContain(last);
      expect(answers[3 * index + 1]).toContain(last);
      expect(answers[3 * index + 2]).toEqual(options.map(({ flag }) => `--${flag}`));
    }
  });

  const cases: [line: string, candidates: string[]][] = [
    ['control-plane us', ['users', 'usage']],
    ['control-plane usage ', ['void', 'amend', 'import', 'drop', '--help']],
    ['control-plane get egr', ['EgressGateway', 'EgressIp']],
    ['control-plane get --workspace main ag', ['Agent']],
    ['control-plane get --output=y', ['yaml']],
    ['control-plane get --server http://localhost:4000 ag', ['Agent']],
    ['control-plane get --server=http://localhost:4000 --workspace main ag', ['Agent']],
    ['control-plane redeploy --server http://localhost:4000 Agent support --w', ['--workspace']],
    ['control-plane get Agent -o ', ['table', 'yaml', 'json']],
    ['control-plane redeploy V', ['Volume', 'Vpc']],
    ['control-plane members set ada --role ', ['admin', 'member', 'viewer']],
    ['control-plane usage drop --before ', []],
    ['control-plane apply -f script.b', ['script.bash']],
    ['control-plane migrate --', ['--check', '--json', '--help']],
    ['control-plane completion ', ['bash', 'zsh', 'fish']],
    ['control-plane nothing ', []],
  ];

  it.each(cases)('completes in bash: %s', (line, candidates) => {
    expect(completeInBash([line])[0]).toEqual(candidates);
  });

  it.skipIf(!has('fish')).each(cases.filter(([line]) => !line.includes('=')))(
    'completes in fish: %s',
    (line, candidates) => {
      const found = completeInFish([line])[0] ?? [];
      // Fish offers options only after a dash.
      expect(found.toSorted()).toEqual(
        candidates.filter((word) => / -\S*$/.test(line) || !word.startsWith('-')).toSorted(),
      );
    },
  );

  it.skipIf(!has('fish'))('completes every option in fish', () => {
    const commands = completedCommands();
    const answers = completeInFish(commands.map(({ name }) => `control-plane ${name} --`));
    for (const [index, { options }] of commands.entries()) {
      const flags = options.map(({ flag }) => `--${flag}`);
      expect(answers[index]?.toSorted()).toEqual(flags.toSorted());
    }
  });

  it.each(shells.filter((shell) => has(shell) && has('script')))(
    'completes the names of files with any characters in %s',
    async (shell) => {
      const names = [
        'one space.yaml',
        "two'quote.yaml",
        'three"quote.yaml',
        'four$(touch made).yaml',
        'five*.yaml',
        'six:colon.yaml',
        'seven`touch made`.yaml',
      ];
      for (const name of names) writeFileSync(join(folder, name), '');
      const ways = ['on\t', 'tw\t', 'thr\t', 'fou\t', 'fiv\t', 'six\t', 'sev\t'];
      const oneSpace = [String.raw`one\ s`, `'one s`, '"one s'].map((way) => `${way}\t`);
      const lines = [...ways, ...oneSpace].map((way) => `control-plane apply -f ${way}`);
      const expected = [...names, ...oneSpace.map(() => 'one space.yaml')];
      expect(await typed(shell, lines)).toEqual(expected.map((name) => ['apply', '-f', name]));
      expect(existsSync(join(folder, 'made'))).toBe(false);
    },
    60_000,
  );

  it.each(shells.filter((shell) => has(shell) && has('script')))(
    'is typed on a terminal with %s',
    async (shell) => {
      const lines = ['control-plane mem\tse\tada --ro\tvie\t--wor\tmain', 'control-plane redepl\tag\tx --work\tmain'];
      // Zsh separates the value with an equals sign.
      const got = (await typed(shell, lines)).map((words) => words.join(' ').replaceAll('=', ' '));
      expect(got).toEqual(['members set ada --role viewer --workspace main', 'redeploy Agent x --workspace main']);
    },
    60_000,
  );
});
