// Limits of YAML: what a text may hold, and that a text of an attacker costs no more than its size.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inputLimits, problemsMax, yamlLimits } from '../../src/input/limits.js';
import { readYaml } from '../../src/input/yaml.js';
import type { YamlDocument } from '../../src/input/yaml.js';

const limits = { ...yamlLimits, items: 2_000, documents: 100, aliases: 100, tokens: 100_000, values: 20_000 };

function read(text: string): YamlDocument[] {
  return [...readYaml(text, limits)];
}

function valueOf(text: string): unknown {
  const [first] = read(text);
  if (first === undefined || 'problems' in first) throw new Error(JSON.stringify(first));
  return first.value;
}

function problemsOf(text: string): { message: string; line: number }[] {
  return read(text).flatMap((document) => ('problems' in document ? document.problems : []));
}

describe('readYaml', () => {
  it.each([
    'a: 1',
    'a: { b: [1, 2.5, true, null, ~, "x", \'y\'] }',
    '[{ a: 1 }, {}, []]',
    '{"json": [1, {"deep": "\\u00e9"}]}',
    'a: |\n  lines\n  more\nb: >-\n  folded\n  text\n',
    'a: &x { k: 1 }\nb: *x\nc: [*x, *x]',
    '? a\n: 1\n? "b"\n: 2\n',
    '1: one\ntrue: two\nnull: three\n',
    'plain: a b c # comment\n\n\nother: 0x1F',
    '__proto__: 1\nconstructor: 2\ntoString: 3',
    '!!str 1',
    'a: !!int "7"',
  ])('reads %j like the library', (text) => {
    expect(JSON.stringify(valueOf(text))).toBe(JSON.stringify(parse(text)));
  });

  it('merges keys, which yield to the own ones and to earlier maps', () => {
    const text = 'a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\nc: { <<: [*a, *b], z: 3 }\nd: { <<: *b }\ne: { "<<": 1 }';
    expect(valueOf(text)).toEqual({
      a: { x: 1, y: 1 },
      b: { y: 2, z: 2 },
      c: { x: 1, y: 1, z: 3 },
      d: { y: 2, z: 2 },
      e: { '<<': 1 },
    });
  });

  it('reads the documents of a text, without empty ones', () => {
    expect(read('a: 1\n---\n# nothing\n---\n- b\n...\n')).toMatchObject([{ value: { a: 1 } }, { value: ['b'] }]);
    const [, second] = read('a: 1\n---\nb:\n  c: 1\n');
    expect(second !== undefined && 'lineAt' in second && second.lineAt(['b', 'c', 'd'])).toBe(4);
  });

  it.each([
    ['a: 1\nb: 2\na: 3', 3, 'Map keys must be unique, and "a" is repeated'],
    ['{ a: 1, a: 2 }', 1, 'Map keys must be unique, and "a" is repeated'],
    ['[1]: 2', 1, 'Map keys must be texts'],
    ['a: *none', 1, 'The alias "none" has no anchor before it'],
    ['a: &a [*a]', 1, 'The alias "a" stands within its own anchor'],
    ['a: 1\n<<: 7', 2, 'Only a map, or a list of maps, can be merged with <<'],
    ['a: [1', 1, 'Flow sequence'],
  ])('names the line of the problem in %j', (text, line, message) => {
    expect(problemsOf(text)).toEqual([{ line, offset: expect.any(Number), message: expect.stringContaining(message) }]);
  });

  it('accepts texts at its limits', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(problemsOf(deep(inputLimits.depth))).toEqual([]);
    expect(problemsOf(deep(inputLimits.depth + 1))).toHaveLength(1);
    const nested = (levels: number) =>
      Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
    expect(problemsOf(`${nested(inputLimits.depth - 1)}${' '.repeat(70)}a: 1`)).toEqual([]);
    expect(problemsOf(nested(inputLimits.depth + 2))).toHaveLength(1);
    const keys = (count: number) => Array.from({ length: count }, (_, key) => `k${key}: 1\n`).join('');
    expect(problemsOf(keys(yamlLimits.keys))).toEqual([]);
    expect(problemsOf(keys(yamlLimits.keys + 1))).toHaveLength(1);
    expect(problemsOf(Array.from({ length: limits.documents }, () => 'a').join('\n---\n'))).toEqual([]);
  });
});

/** Texts of about 200 kB that an attacker could send, with the rule that refuses them. */
const attacks: Record<string, [text: string, rule: string]> = {
  'distinct keys': [Array.from({ length: 28_000 }, (_, key) => `${key}:\n`).join(''), 'too many keys in one object'],
  'keys of a flow map': [
    `{${Array.from({ length: 28_000 }, (_, key) => `a${key}: 1`).join(', ')}}`,
    'too many keys in one object',
  ],
  'the same key': ['a:\n'.repeat(66_000), 'too many keys in one object'],
  'nested lists': ['['.repeat(200_000), 'nested too deeply'],
  'nested maps': ['{'.repeat(200_000), 'nested too deeply'],
  'nested maps with keys': ['{a: '.repeat(50_000), 'nested too deeply'],
  'nested dashes': ['- '.repeat(100_000), 'nested too deeply'],
  'nested complex keys': ['? '.repeat(100_000), 'nested too deeply'],
  'nested colons': [': '.repeat(100_000), 'nested too deeply'],
  'nested keys in brackets': ['[{? '.repeat(40_000), 'nested too deeply'],
  'indented keys': [
    Array.from({ length: 600 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''),
    'nested too deeply',
  ],
  'complex keys': ['?\n'.repeat(100_000), 'too many keys in one object'],
  'empty documents': ['---\n'.repeat(50_000), 'too many documents'],
  documents: ['a\n---\n'.repeat(33_000), 'too many documents'],
  'items of a list': ['- a\n'.repeat(50_000), 'too many items in one list'],
  commas: [`[${','.repeat(200_000)}`, 'too long'],
  'many lists': [`[${`[${'1,'.repeat(900)}],`.repeat(100)}]`, 'too long'],
  anchors: ['- &a x\n'.repeat(28_000), 'too many items in one list'],
  'properties of one node': ['&a '.repeat(66_000), 'too long'],
  tags: ['!a '.repeat(66_000), 'too long'],
  aliases: [`- &a x\n${'- *a\n'.repeat(40_000)}`, 'too many aliases'],
  'aliases of aliases': [
    Array.from({ length: 20 }, (_, level) => `k${level}: &k${level} [*k${level - 1}, *k${level - 1}]\n`)
      .join('')
      .replace('[*k-1, *k-1]', '[1, 1]'),
    'too many values',
  ],
  'merges of merges': [
    Array.from({ length: 20 }, (_, level) => `k${level}: &k${level} { <<: [*k${level - 1}, *k${level - 1}] }\n`)
      .join('')
      .replace('[*k-1, *k-1]', '{ a: 1 }'),
    'too many values',
  ],
  'a chain of anchors': [
    Array.from({ length: 90 }, (_, level) => `k${level}: &k${level} [*k${level - 1}]\n`)
      .join('')
      .replace('*k-1', '1'),
    'nested too deeply',
  ],
  'closing brackets': [']'.repeat(200_000), 'too long'],
  quotes: ['"'.repeat(200_000), 'Map keys|too long|Missing|Unexpected'],
  'wrong escapes': [`"${'\\x'.repeat(100_000)}"`, 'Invalid escape'],
  tabs: ['a:\n\t- b\n'.repeat(20_000), 'too many|too long'],
  comments: ['# c\n'.repeat(70_000), 'too long'],
  'empty lines': ['\n'.repeat(200_000), 'too long'],
};

describe('a text of an attacker', () => {
  it.each(Object.entries(attacks))('%s: is refused in few words', (_name, [text, rule]) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(problemsMax);
    expect(problems.at(-1)?.message).toMatch(new RegExp(rule));
    for (const { message } of problems) {
      expect(message.length).toBeLessThanOrEqual(250);
      expect(message).not.toMatch(/call stack|node_modules/);
    }
  });

  it.each(['x'.repeat(200_000), `"${'x'.repeat(200_000)}"`, `|\n${' a\n'.repeat(60_000)}`, 'a\n'.repeat(100_000)])(
    'can hold one large text',
    (text) => {
      expect(problemsOf(`a: ${text.replaceAll('\n', '\n  ')}`)).toEqual([]);
    },
  );

  it('costs no more than in proportion to its size', () => {
    const free = { ...yamlLimits, keys: 1_000_000, tokens: 10_000_000, items: 1_000_000 };
    const timeOf = (count: number) => {
      const text = Array.from({ length: count }, (_, key) => `k${key}: { a: 1, b: [x] }\n`).join('');
      const times = Array.from({ length: 3 }, () => {
        const start = process.cpuUsage().user;
        expect([...readYaml(text, free)]).toHaveLength(1);
        return process.cpuUsage().user - start;
      });
      return Math.min(...times);
    };
    timeOf(1_000);
    // Quadratic growth would be 64 times.
    expect(timeOf(8_000) / timeOf(1_000)).toBeLessThan(30);
  });
});
