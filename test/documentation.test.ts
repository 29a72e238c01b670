// The documents and command lines in docs/: valid for the schema and for the command line.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { gatewayOptions } from '../src/cli/gateway-command.js';
import { gatewayCommands } from '../src/cli/gateway-commands.js';
import { parseCommandLine } from '../src/cli/parse.js';
import { schema } from '../src/api/graphql/server/schema.js';
import { billingDimensions } from '../src/metering/dimensions.js';

const docs = new URL('../docs/', import.meta.url);
const pages = [
  new URL('../README.md', import.meta.url),
  ...readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => new URL(name, docs)),
].map((url) => ({ url, page: url.pathname.replace(/^.*\//, ''), text: readFileSync(url, 'utf8') }));

interface Block {
  page: string;
  language: string;
  text: string;
}

const blocks: Block[] = pages.flatMap(({ page, text }) =>
  Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = '', block = '']) => ({
    page,
    language,
    text: block,
  })),
);

const documents = blocks.filter(({ language }) => language === 'graphql');

/** The pages, and the deployment files, whose comments contain command lines too. */
const texts = [
  ...pages,
  ...readdirSync(new URL('deploy/', docs), { recursive: true, encoding: 'utf8' })
    .filter((page) => /\.\w+$/.test(page))
    .map((page) => ({
      page,
      text: readFileSync(new URL(`deploy/${page}`, docs), 'utf8'),
    })),
];

/** Command lines of the admin command, in blocks and in running text, without a pipe or a comment after them. */
const commandLines = texts.flatMap(({ page, text }) =>
  Array.from(
    text.replaceAll(/\\\n\s*/g, '').matchAll(/(?:^|[\s`(]|bin\/)control-plane ([^`\n]*)/gm),
    ([, line = '']) => ({
      page,
      line: line
        .replace(/\s(?:[|>#]|&&).*$/, '')
        .replace(/\)$/, '')
        .trim(),
    }),
  ),
);

/** The words of a command line, as a shell splits them. */
function wordsOf(line: string): string[] {
  return Array.from(
    line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

/** The error of the command line; undefined if it is valid. */
function problemOf(line: string): string | undefined {
  const words = wordsOf(line);
  const [name = '', ...rest] = words;
  const flags = words.flatMap((word) => (word.startsWith('--') ? [word.slice(2).replace(/=.*/, '')] : []));
  const ofGateway = gatewayCommands.find((command) => [name, `${name} ${rest[0]}`].includes(command.name));
  if (ofGateway !== undefined) {
    const known = [...gatewayOptions, ...ofGateway.options].map(({ flag }) => flag);
    return flags.find((flag) => !known.includes(flag));
  }
  // Not commands of a table: they start a gateway, or run without a database.
  if (name === 'migrate') return rest.find((word) => word !== '--check' && word !== '--json');
  if (['restore', '--help', 'serve', 'demo', 'completion'].includes(name)) return undefined;
  // In running text a command can be without its arguments.
  if (rest.length === 1 && commands.some((command) => command.name === line)) return undefined;
  try {
    parseCommandLine(words);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The anchors of a page, as GitHub derives them from its headings. */
function anchorsOf(url: URL): string[] {
  const headings = Array.from(readFileSync(url, 'utf8').matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** Links within the repository that lead nowhere, and paths of files in backticks that do not exist. */
function brokenReferences({ url, text }: { url: URL; text: string }): string[] {
  const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  const links = targets.filter((target) => !/^[a-z]+:/.test(target));
  const paths = Array.from(
    text.matchAll(/`((?:src|test|prisma|docs|bench|examples|build)\/[\w./-]+)`/g),
    ([, path = '']) => path,
  );
  return [
    ...links.filter((link) => {
      const target = new URL(link, url);
      const anchor = target.hash.slice(1);
      target.hash = '';
      return !existsSync(target) || (anchor !== '' && !anchorsOf(target).includes(anchor));
    }),
    ...paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url))),
  ];
}

/** All TypeScript below a folder of the repository. */
function codeOf(folder: string): string {
  const root = new URL(`../${folder}/`, import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('node_modules'),
  );
  return files.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
}

describe('The pages', () => {
  it('contain GraphQL documents and command lines', () => {
    expect(documents.length).toBeGreaterThan(15);
    expect(commandLines.length).toBeGreaterThan(40);
  });

  it.each(documents)('$page has a document that is valid for the schema: $text', ({ text }) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  });

  it.each(commandLines)('$page has a valid command line: $line', ({ line }) => {
    expect(problemOf(line)).toBeUndefined();
  });

  it.each(pages)('$page has no comments in shell blocks, which an interactive zsh takes for arguments', ({ page }) => {
    const lines = blocks
      .filter((block) => block.page === page && block.language === 'sh')
      .flatMap(({ text }) => text.split('\n'));
    expect(lines.filter((line) => /(^|\s)#\s/.test(line))).toEqual([]);
  });

  it.each(pages)('$page refers only to files, headings and folders that exist', (page) => {
    expect(brokenReferences(page)).toEqual([]);
  });

  it.each(texts)('$page names only compiled files that have a source', ({ text }) => {
    const files = Array.from(text.matchAll(/\bdist\/([\w/-]+)\.js\b/g), ([, file = '']) => file);
    expect(files.filter((file) => !existsSync(new URL(`../src/${file}.ts`, import.meta.url)))).toEqual([]);
  });

  it('show a document in GraphiQL that is valid for the schema, and one of its examples', () => {
    const shown = readFileSync(new URL('graphiql.graphql', docs), 'utf8');
    expect(validate(schema, parse(shown)).map(({ message }) => message)).toEqual([]);
    const examples = new URL('../src/api/graphiql/queries/', import.meta.url);
    const names = readdirSync(examples).map(
      (name) => /^(?:query|mutation|subscription) (\w+)/m.exec(readFileSync(new URL(name, examples), 'utf8'))?.[1],
    );
    const [, name] = /^(?:query|mutation|subscription) (\w+)/m.exec(shown) ?? [];
    expect(names).toContain(name);
  });

  it('are all in the index', () => {
    const index = readFileSync(new URL('README.md', docs), 'utf8');
    const names = readdirSync(docs).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(names.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  it('names only functions that exist in the architecture', () => {
    const code = codeOf('src');
    const architecture = pages.find(({ page }) => page === 'architecture.md')?.text ?? '';
    const named = new Set(Array.from(architecture.matchAll(/`(\w+)\(\)`/g), ([, name = '']) => name));
    expect(named.size).toBeGreaterThan(40);
    expect([...named].filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  it('name each decision once, and list all in their index', () => {
    const { text = '' } = pages.find(({ page }) => page === 'decisions.md') ?? {};
    const numbers = Array.from(text.matchAll(/^### (\d+)\. /gm), ([, number = '']) => number);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    const index = text.slice(text.indexOf('## Index'), text.indexOf('## HTTP'));
    expect(Array.from(index.matchAll(/\[(\d+)\s/g), ([, number = '']) => number)).toEqual(numbers);
  });

  it('have an entry for each decision that they, the code or the tests refer to', () => {
    const decisions = pages.find(({ page }) => page === 'decisions.md')?.text ?? '';
    const known = new Set(Array.from(decisions.matchAll(/^### (\d+)\. /gm), ([, number = '']) => number));
    const all = [codeOf('src'), codeOf('test'), ...pages.map(({ text }) => text)].join('\n');
    const references = Array.from(
      all.matchAll(/\bdecisions?\s+((?:\d+(?:, | and )?)+)/g),
      ([, numbers = '']) => numbers,
    );
    const named = new Set(references.flatMap((numbers) => numbers.match(/\d+/g) ?? []));
    expect(named.size).toBeGreaterThan(40);
    expect([...named].filter((number) => !known.has(number))).toEqual([]);
  });

  it('list the billing dimensions of the specification, with their resource types and units', () => {
    const page = pages.find(({ page: name }) => name === 'metrics.md')?.text ?? '';
    const rows = Array.from(page.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| `(\w+)` +\|$/gm), ([, ...cells]) => cells);
    expect(rows).toEqual(
      Object.entries(billingDimensions).map(([name, { resourceType, unit }]) => [name, resourceType, unit]),
    );
  });

  it('are checked for unknown commands, options and fields', () => {
    expect(problemOf('agents list')).toMatch(/unknown|no command/);
    expect(problemOf("keys create --owner 'a@example.com' --account a --name b --colour red")).toMatch(/--colour/);
    expect(problemOf('apply -f x --colour red')).toBe('colour');
    expect(validate(schema, parse('{ viewer { colour } }'))).toHaveLength(1);
  });
});
