// The recipes of docs/clients.md, as an engineer follows them: the files and commands stand in the page, and the code that the
// generators write compiles.
import './installed.js';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { names, useFleet } from './fleet.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')));

interface Recipe {
  title: string;
  text: string;
}

const recipes: Recipe[] = page
  .split(/^## /m)
  .map((text) => ({ title: text.split('\n', 1)[0] ?? '', text }))
  .filter(({ text }) => text.includes('npx '));

/** Files with their names: each stands below the paragraph that ends with its name, or names it as its example. */
function filesOf(text: string): { name: string; content: string }[] {
  return Array.from(
    text.matchAll(/`([\w./-]+\.(?:ts|json))`[^`]*?:\n\n```\w+\n(.*?)^```$/gms),
    ([, name, content]) => ({
      name: name ?? '',
      content: content ?? '',
    }),
  );
}

function commandsOf(text: string): string[] {
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block.trim().split('\n')).flat();
}

const compilerOptions = filesOf(page).find(({ name }) => name === 'tsconfig.json')?.content ?? '';

const restTitle = 'REST with openapi-typescript';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A project with the files of a recipe, below the folder whose packages it takes. */
function createProject({ text }: Recipe): string {
  const folder = mkdtempSync(join(here, 'recipe-'));
  folders.push(folder);
  cpSync(join(root, 'schema.graphql'), join(folder, 'schema.graphql'));
  const files = [{ name: 'tsconfig.json', content: compilerOptions }, ...filesOf(text)];
  for (const { name, content } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const fleet = useFleet();

/** Runs a command of a recipe with the installed packages, against the gateway of the test. @returns its output. */
async function runCommand(command: string, cwd: string): Promise<string> {
  const origin = new URL(fleet.url).origin;
  const { stdout } = await run('sh', ['-c', command.replace(/^npx /, '').replace('http://localhost:4000', origin)], {
    cwd,
    env: {
      PATH: `${here}node_modules/.bin:${root}node_modules/.bin:${process.env['PATH'] ?? ''}`,
      CONTROL_PLANE_URL: `${origin}/v0`,
      CONTROL_PLANE_KEY: fleet.headers.authorization.replace('Bearer ', ''),
      WORKSPACE: fleet.workspace,
    },
  });
  return stdout;
}

/** Runs the commands of a recipe but those that install. @returns the output of the last. */
async function runCommands({ text }: Recipe, folder: string): Promise<string> {
  let output = '';
  for (const command of commandsOf(text)) {
    if (!command.startsWith('npm ')) output = await runCommand(command, folder);
  }
  return output;
}

describe('docs/clients.md', () => {
  it('has four recipes with commands, whose packages are installed for the tests', () => {
    expect(recipes.map(({ title }) => title)).toEqual(['GraphQL Code Generator', 'gql.tada', 'Relay', restTitle]);
    const installed = commandsOf(page)
      .filter((command) => command.startsWith('npm install'))
      .flatMap((command) => command.split(' ').slice(2))
      .filter((word) => !word.startsWith('-'))
      .map((word) => word.replace(/(?<=.)@\d+$/, ''));
    expect(installed.filter((name) => !(name in dependencies))).toEqual([]);
  });

  it.each(recipes.filter(({ title }) => title !== restTitle))(
    '$title: generates code that compiles, in which a decimal is a string',
    { timeout: 300_000 },
    async (recipe) => {
      const folder = createProject(recipe);
      await runCommands(recipe, folder);
      const file = join(folder, 'app/agents.ts');
      writeFileSync(file, readFileSync(file, 'utf8').replace('string[]', 'number[]'));
      await expect(runCommand('npx tsc --noEmit', folder)).rejects.toMatchObject({
        stdout: expect.stringContaining("Type 'string[]' is not assignable to type 'number[]'"),
      });
    },
  );

  it.each(recipes.filter(({ title }) => title === restTitle))(
    '$title: generates code that compiles and lists agents',
    { timeout: 300_000 },
    async (recipe) => {
      const output = await runCommands(recipe, createProject(recipe));
      expect(output.trim().split('\n').toSorted()).toEqual(names);
    },
  );
});
