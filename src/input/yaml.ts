// Writes YAML, and reads it and JSON, which is YAML as well. Depth and counts are checked while the text is read. The
// check of `yaml` for repeated keys compares each key with all others, and its expansion of aliases counts only some of
// them, so values are made here.
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, Scalar, stringify } from 'yaml';
import type { CST, Document, Node, YAMLMap } from 'yaml';
import { ApiError, cutText, quoted } from '../errors.js';
import { problemsMax, requireWithin, yamlLimits } from './limits.js';
import type { YamlLimits } from './limits.js';

/** What is wrong with a text, and where. */
export interface YamlProblem {
  message: string;
  /** Starts at 1. */
  line: number;
  /** Where the problem begins in the text (characters). */
  offset: number;
}

/** A document of a text: its value, or why it has none. */
export type YamlDocument =
  { value: unknown; lineAt: (path: readonly (string | number)[]) => number | undefined } | { problems: YamlProblem[] };

/**
 * Reads the documents of a text, those without content excepted. After a document that exceeds a limit, none follow.
 *
 * @param input the text, as the subject of a sentence.
 */
export function* readYaml(
  text: string,
  limits: YamlLimits = yamlLimits,
  input = 'The text',
): Generator<YamlDocument, void> {
  const lines = new LineCounter();
  const lineOf = (offset: number) => Math.max(1, lines.linePos(Math.min(offset, text.length)).line);
  let offset = 0;
  const values = new Values(limits, input);
  try {
    for (const parsed of documentsIn(text, lines, limits, input, (at) => (offset = at))) {
      const problems = parsed.errors.map(({ message, pos: [from] }) => ({ message: ofOneLine(message), at: from }));
      values.begin(problems);
      const value = problems.length > 0 ? undefined : values.of(parsed.contents);
      if (problems.length > 0) {
        yield {
          problems: problems
            .slice(0, problemsMax)
            .map(({ message, at }) => ({ message, line: lineOf(at), offset: at })),
        };
        // A document between two `---` lines can consist of comments only.
      } else if (value != null) yield { value, lineAt: (path) => lineAt(parsed, path, lineOf) };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const at = values.offset ?? offset;
    yield { problems: [{ message: error.message, line: lineOf(at), offset: at }] };
  }
}

/** Checks the limits with each token, before anything is made of the tokens. */
function* documentsIn(
  text: string,
  lines: LineCounter,
  limits: YamlLimits,
  input: string,
  tell: (offset: number) => void,
): Generator<Document.Parsed, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const composer = new Composer({ schema: 'core', resolveKnownTags: false, uniqueKeys: false });
  let [tokens, documents, aliases, strays] = [0, 0, 0, 0];
  const composed = (token: CST.Token): Document.Parsed[] => {
    if (token.type === 'document') requireWithin(limits, 'documents', ++documents, input);
    // Brackets that close nothing: each would be a problem of its own.
    if (token.type === 'error' && ++strays > problemsMax) return [];
    return withoutStackTraces(() => [...composer.next(token)]);
  };
  for (const lexeme of new Lexer().lex(text)) {
    tell(parser.offset);
    requireWithin(limits, 'tokens', ++tokens, input);
    if (lexeme.startsWith('*')) requireWithin(limits, 'aliases', ++aliases, input);
    for (const token of parser.next(lexeme)) yield* composed(token);
    const top = parser.stack.at(-1);
    // The document itself, and a scalar that ends a branch.
    requireWithin(limits, 'depth', parser.stack.length - 2, input);
    if (top?.type === 'block-map' || (top?.type === 'flow-collection' && top.start.source === '{')) {
      requireWithin(limits, 'keys', top.items.length, input);
    } else if (top?.type === 'block-seq' || top?.type === 'flow-collection') {
      requireWithin(limits, 'items', top.items.length, input);
    }
  }
  for (const token of parser.end()) yield* composed(token);
  yield* withoutStackTraces(() => [...composer.end()]);
}

/** Syntax errors are values of `yaml`. The stack traces of a hundred thousand of them would take seconds. */
function withoutStackTraces<Result>(act: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return act();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Formats a value as YAML. Texts are quoted that are something else in YAML 1.1 or 1.2, such as `yes` and the key `<<`. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, compat: 'yaml-1.1' });
}

interface Problem {
  message: string;
  /** The position in the text. */
  at: number;
}

/** The value of a node, and its size with all aliases in it. */
interface Made {
  value: unknown;
  values: number;
  depth: number;
}

/** Makes the values of nodes. An alias shares the value of its anchor, and counts as if it were written out. */
class Values {
  /** Where the node is that was made last. */
  offset: number | undefined;
  #values = 0;
  #anchors = new Map<string, Made | 'unfinished'>();
  #problems: Problem[] = [];

  constructor(
    private readonly limits: YamlLimits,
    private readonly input: string,
  ) {}

  /** Begins a document: anchors are valid within one. */
  begin(problems: Problem[]): void {
    this.#anchors = new Map();
    this.#problems = problems;
  }

  of(node: Node | null): unknown {
    const { value } = this.#made(node, 0);
    this.offset = undefined;
    return value;
  }

  #made(node: unknown, above: number): Made {
    if (isAlias(node)) return this.#ofAlias(node.source, offsetOf(node), above);
    const offset = offsetOf(node);
    if (offset !== undefined) this.offset = offset;
    requireWithin(this.limits, 'values', ++this.#values, this.input);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, 'unfinished');
    if (isMap(node) || isSeq(node)) requireWithin(this.limits, 'depth', above + 1, this.input);
    const made = isMap(node)
      ? this.#ofMap(node, above + 1)
      : isSeq(node)
        ? this.#ofList(node.items, above + 1)
        : scalar(node);
    if (anchor !== undefined) this.#anchors.set(anchor, made);
    return made;
  }

  #ofAlias(name: string, offset: number | undefined, above: number): Made {
    const made = this.#anchors.get(name);
    if (made === undefined || made === 'unfinished') {
      const rule = made === undefined ? 'has no anchor before it' : 'stands within its own anchor';
      this.#problems.push({ message: `The alias ${quoted(name)} ${rule}`, at: offset ?? 0 });
      return scalar(undefined);
    }
    this.#values += made.values;
    requireWithin(this.limits, 'values', this.#values, this.input);
    requireWithin(this.limits, 'depth', above + made.depth, this.input);
    return made;
  }

  #ofList(items: readonly unknown[], depth: number): Made {
    const made = items.map((item) => this.#made(item, depth));
    return { value: made.map(({ value }) => value), ...sizeOf(made) };
  }

  /** Merged keys (`<<`) yield to those of the map itself, and to those of earlier merged maps. */
  #ofMap(map: YAMLMap<unknown, unknown>, depth: number): Made {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    const made: Made[] = [];
    for (const { key, value: node } of map.items) {
      const each = this.#made(node, depth);
      made.push(each);
      if (isScalar(key) && key.type === Scalar.PLAIN && key.value === '<<') {
        for (const [name, value] of this.#mergedFrom(each.value, offsetOf(key))) {
          if (!merged.has(name)) merged.set(name, value);
        }
        continue;
      }
      const name = this.#keyOf(key);
      if (own.has(name)) {
        this.#problems.push({
          message: `Map keys must be unique, and ${quoted(name)} is repeated`,
          at: offsetOf(key) ?? 0,
        });
      }
      own.set(name, each.value);
    }
    requireWithin(this.limits, 'keys', own.size + merged.size, this.input);
    const value = Object.fromEntries([...[...merged].filter(([name]) => !own.has(name)), ...own]);
    return { value, ...sizeOf(made) };
  }

  #keyOf(key: unknown): string {
    if (key === null || (isScalar(key) && (key.value === null || typeof key.value !== 'object'))) {
      return key === null ? '' : String(key.value ?? '');
    }
    this.#problems.push({ message: 'Map keys must be texts', at: offsetOf(key) ?? 0 });
    return '';
  }

  #mergedFrom(value: unknown, offset: number | undefined): [string, unknown][] {
    const maps: unknown[] = Array.isArray(value) ? value : [value];
    return maps.flatMap((each) => {
      if (typeof each === 'object' && each !== null && !Array.isArray(each)) return Object.entries(each);
      this.#problems.push({ message: 'Only a map, or a list of maps, can be merged with <<', at: offset ?? 0 });
      return [];
    });
  }
}

function scalar(node: unknown): Made {
  return { value: isScalar(node) ? node.value : null, values: 1, depth: 0 };
}

function sizeOf(made: readonly Made[]): Omit<Made, 'value'> {
  return {
    values: made.reduce((sum, { values }) => sum + values, 1),
    depth: made.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
  };
}

function offsetOf(node: unknown): number | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** The line of a field, or of its nearest existing parent. */
function lineAt(
  parsed: Document.Parsed,
  path: readonly (string | number)[],
  lineOf: (offset: number) => number,
): number | undefined {
  for (let depth = path.length; depth >= 0; depth--) {
    const offset = offsetOf(parsed.getIn(path.slice(0, depth), true));
    if (offset !== undefined) return lineOf(offset);
  }
  return undefined;
}

const messageLengthMax = 200;

function ofOneLine(message: string): string {
  return cutText(message.replaceAll(/\s+/g, ' '), messageLengthMax);
}
