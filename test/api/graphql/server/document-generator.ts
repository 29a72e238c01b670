// Random documents of the schema with their variables: operations of all types, fragments, directives, aliases and
// variables in every position. Everything is decided by a list of numbers, so that fast-check can shrink a case: where
// the numbers end, each choice is the simplest one.
import {
  doTypesOverlap,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
} from 'graphql';
import type {
  GraphQLArgument,
  GraphQLCompositeType,
  GraphQLField,
  GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
} from 'graphql';
import fc from 'fast-check';
import { schema } from '../../../../src/api/graphql/server/schema.js';

/** The values that exist in the test data, so that arguments find something. */
export interface KnownValues {
  /** Global ids, by type. */
  ids: ReadonlyMap<string, string>;
  /** Texts, by the name of the argument or the input field. */
  texts: Readonly<Record<string, readonly string[]>>;
  /** Valid inputs, by mutation. */
  inputs: ReadonlyMap<string, unknown>;
  /** A position in the change log with changes after it. */
  changeCursor: string;
}

export interface GeneratedRun {
  operationName: string | undefined;
  isSubscription: boolean;
  variables: Record<string, unknown>;
}

export interface GeneratedCase {
  document: string;
  /** The operations, and one of them with other variables. */
  runs: GeneratedRun[];
}

/** The decisions of a document. @param length how many numbers decide: about four for each field. */
export function choiceLists(length: number): fc.Arbitrary<number[]> {
  return fc.noBias(fc.array(fc.nat(9_999), { minLength: length / 4, maxLength: length, size: 'max' }));
}

export function generateCase(choices: readonly number[], known: KnownValues): GeneratedCase {
  return new Generator(choices, known).generate();
}

interface Fragment {
  name: string;
  on: GraphQLCompositeType;
  text: string;
  /** How many fields it has, with the fragments in it. */
  size: number;
  height: number;
  variables: ReadonlySet<string>;
}

interface Variable {
  type: string;
  name: string;
  /** The name of the argument or the input field that it was declared for. */
  purpose: string;
  defaultText: string | undefined;
  /** The values in the two sets of variables; undefined is not sent. */
  sent: readonly [unknown, unknown];
}

/** A value as a literal of a document, and as a variable has it. */
interface Value {
  text: string;
  json: unknown;
}

interface Operation {
  type: 'query' | 'mutation' | 'subscription';
  name: string | undefined;
  text: string;
}

/** A field on the shortest path from a root to a type. */
interface Step {
  from: GraphQLCompositeType;
  field: GraphQLField<unknown, unknown>;
  to: GraphQLCompositeType;
}

const treacherousAliases = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'length',
  'data',
  'errors',
  'a',
  'b',
];

/** Limits of documents (src/api/graphql/server/limits.ts). */
const directivesMax = 40;
const aliasesMax = 40;
const sizeMax = 120;
/** Levels below the field that a document leads to. */
const freeLevels = 4;

/** Mutations without a dry run: they would change what the next document reads. */
const unsafeMutations = new Set(['recordUsage']);

class Generator {
  private position = 0;
  private readonly fragments: Fragment[] = [];
  private readonly variables: Variable[] = [];
  /** What each response key stands for: a key that stood for two things would make the document invalid. */
  private readonly meanings = new Map<string, string>();
  private readonly keys = new Map<string, string>();
  private used = new Set<string>();
  private size = 0;
  private directives = 0;
  private aliases = 0;

  constructor(
    private readonly choices: readonly number[],
    private readonly known: KnownValues,
  ) {}

  generate(): GeneratedCase {
    const count = this.chance(30) ? (this.chance(25) ? 3 : 2) : 1;
    const isAnonymous = count === 1 && this.chance(50);
    const operations = Array.from({ length: count }, (_, index) =>
      this.operation(isAnonymous ? undefined : `Operation${index}`),
    );
    const fragments = this.fragments.map(({ name, on, text }) => `fragment ${name} on ${on.name} ${text}`);
    const texts = operations.map(({ text }) => text);
    const definitions = this.chance(50) ? [...texts, ...fragments] : [...fragments, ...texts];
    const run = ({ name, type }: Operation, set: 0 | 1): GeneratedRun => ({
      operationName: count === 1 && this.chance(50) ? undefined : name,
      isSubscription: type === 'subscription',
      variables: this.valuesOf(set),
    });
    const others = this.variables.length > 0 ? operations.slice(0, 1) : [];
    return {
      document: definitions.join('\n'),
      runs: [...operations.map((each) => run(each, 0)), ...others.map((each) => run(each, 1))],
    };
  }

  // Decisions

  /** One of the numbers below `count`; 0 where the choices end. */
  private pick(count: number): number {
    return (this.choices[this.position++] ?? 0) % Math.max(1, count);
  }

  /** False where the choices end. */
  private chance(percent: number): boolean {
    return this.pick(100) >= 100 - percent;
  }

  private one<T>(items: readonly T[]): T {
    const item = items[this.pick(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  /** At least one item; one where the choices end. */
  private some<T>(max: number, make: () => T): T[] {
    const items = [make()];
    while (items.length < max && this.chance(68)) items.push(make());
    return items;
  }

  private valuesOf(set: 0 | 1): Record<string, unknown> {
    const sent = this.variables.map(({ name, sent: values }) => [name, values[set]] as const);
    return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
  }

  // Operations

  private operation(name: string | undefined): Operation {
    const outside = this.used;
    this.used = new Set();
    const kind = this.pick(20);
    const type = kind < 13 ? 'query' : kind < 18 ? 'mutation' : 'subscription';
    const root = this.root(type);
    const declared = [...this.used].map((each) => {
      const variable = this.variables.find(({ name: known }) => known === each);
      if (variable === undefined) throw new Error(`no variable ${each}`);
      const { defaultText } = variable;
      return `$${each}: ${variable.type}${defaultText === undefined ? '' : ` = ${defaultText}`}`;
    });
    this.used = outside;
    const head = [type, name ?? '', declared.length === 0 ? '' : `(${declared.join(', ')})`].filter(Boolean).join(' ');
    const isShort = head === 'query';
    return { type, name, text: isShort ? root : `${head} ${root}` };
  }

  private root(type: Operation['type']): string {
    this.size = 0;
    if (type === 'mutation') return this.mutations();
    if (type === 'subscription') {
      const field = fieldOf(rootType('subscription'), 'changes');
      const text = `{ ${this.field(rootType('subscription'), field, freeLevels + 1)} }`;
      // The one field of a subscription may also be in a fragment.
      return this.chance(20) ? `{ ... on Subscription ${text} }` : text;
    }
    const selections = this.some(2, () => this.towards(this.one(goals())));
    if (this.chance(10)) selections.push(this.introspection());
    if (this.chance(40)) selections.push(this.selection(rootType('query'), 2));
    return `{ ${selections.join(' ')} }`;
  }

  private mutations(): string {
    const root = rootType('mutation');
    const fields = Object.values(root.getFields()).filter(({ name }) => !unsafeMutations.has(name));
    const selections = this.some(3, () => {
      const text = this.field(root, this.one(fields), freeLevels);
      return this.chance(20) ? `...${this.condition()} { ${text} }` : text;
    });
    return `{ ${selections.join(' ')} }`;
  }

  private introspection(): string {
    return this.one([
      '__typename',
      '__type(name: "Agent") { name kind fields { name type { name ofType { name } } } }',
      '__schema { queryType { name } directives { name args { name } } }',
    ]);
  }

  /** A field of the root that leads to a type, with a selection of it. */
  private towards(goal: GraphQLCompositeType): string {
    const steps: Step[] = [];
    let type = goal;
    while (type !== rootType('query')) {
      const step = this.one(stepsTo(type));
      steps.unshift(step);
      type = step.from;
    }
    return this.along(steps, 0, goal);
  }

  /** The selection from a step on. */
  private along(steps: readonly Step[], index: number, goal: GraphQLCompositeType): string {
    const step = steps[index];
    if (step === undefined) return this.selections(goal, freeLevels);
    const { from, field } = step;
    const named = getNamedType(field.type);
    const id = field.name === 'node' || field.name === 'nodes' ? this.known.ids.get(step.to.name) : undefined;
    const head = this.head(from, field, id);
    const next = steps[index + 1];
    const inner = next === undefined ? this.selections(step.to, freeLevels) : this.along(steps, index + 1, goal);
    const body = next === undefined ? inner : `{ ${inner}${this.chance(40) ? ` ${this.more(step.to)}` : ''} }`;
    const within = named === step.to ? body : `{ ... on ${step.to.name}${this.condition()} ${body} }`;
    return `${head}${this.condition()} ${within}`;
  }

  private more(type: GraphQLCompositeType): string {
    return this.selection(type, 2);
  }

  // Selections

  private selections(type: GraphQLCompositeType, levels: number): string {
    const selections = this.some(7, () => this.selection(type, levels));
    return `{ ${selections.join(' ')} }`;
  }

  private selection(type: GraphQLCompositeType, levels: number): string {
    const kind = this.pick(10);
    if (isUnionType(type)) {
      return kind < 7 || levels <= 0 ? this.inlineOn(this.one(type.getTypes()), levels) : this.spread(type, levels);
    }
    if (kind < 6 || levels <= 0 || this.size > sizeMax) return this.anyField(type, levels);
    if (kind === 6) return `${this.key('__typename', '__typename', 'String!')}${this.condition()}`;
    if (kind === 7) {
      return this.chance(40)
        ? `...${this.condition()} ${this.selections(type, levels - 1)}`
        : this.inlineOn(this.one(overlapping(type)), levels);
    }
    return this.spread(type, levels);
  }

  private inlineOn(type: GraphQLCompositeType, levels: number): string {
    return `... on ${type.name}${this.condition()} ${this.selections(type, levels - 1)}`;
  }

  /** A new fragment, or one that is used elsewhere. */
  private spread(type: GraphQLCompositeType, levels: number): string {
    const fitting = this.fragments.filter(
      ({ on, size, height }) => doTypesOverlap(schema, type, on) && this.size + size <= sizeMax && height <= levels,
    );
    const fragment =
      fitting.length > 0 && this.chance(65) ? this.one(fitting) : this.newFragment(this.one(overlapping(type)), levels);
    this.size += fragment.size;
    for (const name of fragment.variables) this.used.add(name);
    return `...${fragment.name}${this.condition()}`;
  }

  private newFragment(on: GraphQLCompositeType, levels: number): Fragment {
    const outside = { used: this.used, size: this.size };
    this.used = new Set();
    const text = this.selections(on, levels - 1);
    const size = this.size - outside.size;
    const fragment: Fragment = {
      name: `F${this.fragments.length}${on.name}`,
      on,
      text,
      size,
      height: levels,
      variables: this.used,
    };
    this.used = outside.used;
    this.size = outside.size;
    this.fragments.push(fragment);
    return fragment;
  }

  private anyField(type: GraphQLObjectType | GraphQLInterfaceType, levels: number): string {
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
    const composites = fields.filter((field) => !leaves.includes(field) && type !== rootType('mutation'));
    const goesOn = levels > 0 && this.size <= sizeMax && composites.length > 0;
    const from = leaves.length === 0 || (goesOn && this.chance(45)) ? composites : leaves;
    if (from.length === 0 || (from === composites && !goesOn)) return '__typename';
    return this.field(type, this.one(from), levels);
  }

  private field(type: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, levels: number): string {
    const named = getNamedType(field.type);
    // The one field of a subscription has no condition.
    const head = `${this.head(type, field)}${type === rootType('subscription') ? '' : this.condition()}`;
    return isCompositeType(named) ? `${head} ${this.selections(named, levels - 1)}` : head;
  }

  /** The field with its alias and its arguments. */
  private head(type: GraphQLCompositeType, field: GraphQLField<unknown, unknown>, id?: string): string {
    this.size++;
    const args = id === undefined ? this.args(type, field) : this.idArgument(field, id);
    return this.key(field.name, `${field.name}${args}`, String(field.type));
  }

  private idArgument(field: GraphQLField<unknown, unknown>, id: string): string {
    const value = JSON.stringify(id);
    return field.name === 'node' ? `(id: ${value})` : `(ids: ${this.chance(50) ? value : `[${value}, ${value}]`})`;
  }

  /** The field under a response key that nothing else in the document has. */
  private key(name: string, call: string, type: string): string {
    const meaning = `${call}: ${type}`;
    const isAliased = this.aliases < aliasesMax && this.chance(15);
    const known = this.keys.get(meaning);
    let key = isAliased ? this.one(treacherousAliases) : (known ?? name);
    for (let index = 1; (this.meanings.get(key) ?? meaning) !== meaning; index++) key = `${name}${index}`;
    this.meanings.set(key, meaning);
    this.keys.set(meaning, key);
    if (key === name) return call;
    this.aliases++;
    return `${key}: ${call}`;
  }

  /** `@skip`, `@include`, both or none of them. */
  private condition(): string {
    if (this.directives >= directivesMax || !this.chance(25)) return '';
    const names = this.one([['include'], ['skip'], ['include', 'skip'], ['skip', 'include']]);
    this.directives += names.length;
    const texts = names.map((name) => {
      const value = this.chance(75) ? this.variable(booleanRequired(), 'if') : this.one(['true', 'false']);
      return ` @${name}(if: ${value})`;
    });
    return texts.join('');
  }

  // Arguments and values

  private args(type: GraphQLCompositeType, { name, args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap((arg) => {
      const text = this.argument(arg, type === rootType('mutation') ? name : undefined);
      return text === undefined ? [] : [`${arg.name}: ${text}`];
    });
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  private argument({ name, type }: GraphQLArgument, mutation: string | undefined): string | undefined {
    if (mutation !== undefined) return this.mutationInput(type, mutation);
    if (name === 'id' && !isNonNullType(type)) return undefined;
    if (name === 'first') return this.chance(90) ? this.value(type, name) : undefined;
    if (['last', 'before'].includes(name)) return this.chance(6) ? this.value(type, name) : undefined;
    const percent = { after: 6, workspace: 25, orderBy: 25, search: 15, filter: 25, name: 90 }[name] ?? 35;
    return isNonNullType(type) || this.chance(percent) ? this.value(type, name) : undefined;
  }

  /** Mostly the valid input of the mutation, in parts as variables. */
  private mutationInput(type: GraphQLInputType, mutation: string): string {
    const input = this.known.inputs.get(mutation);
    if (input === undefined || this.chance(25)) return this.value(type, 'input');
    return this.literal(type, withoutEffect(type, input), 'input');
  }

  /** A literal or a variable. */
  private value(type: GraphQLInputType, purpose: string, levels = 3): string {
    return this.chance(40) ? this.variable(type, purpose, levels) : this.newValue(type, purpose, levels, true).text;
  }

  /** A known value as a literal, some parts of which are variables. */
  private literal(type: GraphQLInputType, json: unknown, purpose: string): string {
    if (this.chance(25)) return this.declare(type, purpose, json);
    const inner = getNullableType(type);
    if (json === null || json === undefined) return 'null';
    if (isListType(inner)) {
      const items = Array.isArray(json) ? json : [json];
      return `[${items.map((item: unknown) => this.literal(inner.ofType, item, purpose)).join(', ')}]`;
    }
    if (isInputObjectType(inner)) {
      const values = new Map<string, unknown>(Object.entries(json));
      const fields = Object.values(inner.getFields()).flatMap((field) => {
        const value = values.get(field.name);
        if (field.name === 'validateOnly') return [`validateOnly: ${this.dryRun()}`];
        if (value !== undefined) return [`${field.name}: ${this.literal(field.type, value, field.name)}`];
        // A field that is not given: a variable that is not sent, or nothing.
        return !isNonNullType(field.type) && this.chance(8) ? [`${field.name}: ${this.absent(field.type)}`] : [];
      });
      return `{ ${fields.join(', ')} }`;
    }
    if (isEnumType(inner)) return String(json);
    return typeof json === 'object' ? this.jsonLiteral(json) : JSON.stringify(json);
  }

  private jsonLiteral(json: unknown): string {
    if (Array.isArray(json)) return `[${json.map((each: unknown) => this.jsonLiteral(each)).join(', ')}]`;
    if (typeof json !== 'object' || json === null) return JSON.stringify(json);
    const entries = Object.entries(json).map(([name, each]) => `${name}: ${this.jsonLiteral(each)}`);
    return `{ ${entries.join(', ')} }`;
  }

  /** True however it is given: a mutation of a test changes nothing. */
  private dryRun(): string {
    if (!this.chance(30)) return 'true';
    const variable = this.add(this.one(['Boolean', 'Boolean!']), 'validateOnly', 'true', [undefined, true]);
    return `$${variable}`;
  }

  /** A nullable variable that is not sent. */
  private absent(type: GraphQLInputType): string {
    return `$${this.add(String(type), 'absent', undefined, [undefined, undefined])}`;
  }

  private variable(type: GraphQLInputType, purpose: string, levels = 3): string {
    const wanted = String(type);
    const nullable = String(getNullableType(type));
    const reusable = this.variables.filter(
      (each) =>
        each.purpose === purpose &&
        (each.type === wanted ||
          each.type === `${nullable}!` ||
          (each.type === nullable && each.defaultText !== undefined && each.defaultText !== 'null')),
    );
    if (reusable.length > 0 && this.chance(60)) {
      const { name } = this.one(reusable);
      this.used.add(name);
      return `$${name}`;
    }
    return this.declare(type, purpose, this.newValue(getNullableType(type), purpose, levels, false).json);
  }

  /** A new variable for a position, of one of the types that fit it. @param value its value where it is sent */
  private declare(type: GraphQLInputType, purpose: string, value: unknown): string {
    const isRequired = isNonNullType(type);
    const nullable = String(getNullableType(type));
    const hasDefault = !hasDryRun(type) && this.chance(35);
    const defaultText = hasDefault ? this.newValue(getNullableType(type), purpose, 1, false).text : undefined;
    const isNullable = isRequired ? defaultText !== undefined && this.chance(50) : !this.chance(25);
    const declared = isNullable ? nullable : `${nullable}!`;
    const sent = (): unknown => {
      const kind = this.pick(10);
      // An input of a mutation is always sent: without it, the mutation is not a dry run.
      if (kind < 6 || hasDryRun(type)) return value;
      // Rarely a value that the operation requires.
      if (kind < 9) return defaultText !== undefined || isNullable || this.chance(3) ? undefined : value;
      return isNullable && (!isRequired || this.chance(20)) ? null : value;
    };
    return `$${this.add(declared, purpose, defaultText, [sent(), sent()])}`;
  }

  private add(type: string, purpose: string, defaultText: string | undefined, sent: Variable['sent']): string {
    const name = this.chance(3) && this.variables.length === 0 ? '__proto__' : `v${this.variables.length}`;
    this.variables.push({ type, name, purpose, defaultText, sent });
    this.used.add(name);
    return name;
  }

  /** @param mayVary whether parts may be variables; null is only for nullable types. */
  private newValue(type: GraphQLInputType, purpose: string, levels: number, mayVary: boolean): Value {
    const inner = getNullableType(type);
    if (inner === type && mayVary && this.chance(5)) return { text: 'null', json: null };
    const part = (of: GraphQLInputType, name: string): Value =>
      mayVary && this.chance(25)
        ? { text: this.variable(of, name, levels - 1), json: null }
        : this.newValue(of, name, levels - 1, mayVary);
    if (isListType(inner)) {
      if (this.chance(20) && isNonNullType(inner.ofType) && !isListType(getNullableType(inner.ofType))) {
        return this.newValue(inner.ofType, purpose, levels, mayVary);
      }
      const items = Array.from({ length: 1 + this.pick(2) }, () => part(inner.ofType, purpose));
      return { text: `[${items.map(({ text }) => text).join(', ')}]`, json: items.map(({ json }) => json) };
    }
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields()).flatMap((field): [string, Value][] => {
        if (field.name === 'validateOnly') return [[field.name, { text: 'true', json: true }]];
        if (!isNonNullType(field.type) && (levels <= 0 || !this.chance(25))) return [];
        return [[field.name, part(field.type, field.name)]];
      });
      return {
        text: `{ ${fields.map(([name, { text }]) => `${name}: ${text}`).join(', ')} }`,
        json: Object.fromEntries(fields.map(([name, { json }]) => [name, json])),
      };
    }
    if (isEnumType(inner)) {
      const { name } = this.one(inner.getValues());
      return { text: name, json: name };
    }
    if (inner.name === 'JSON' && mayVary && this.chance(50)) {
      const text = `{ MODE: ${this.variable(this.one(jsonVariableTypes()), 'json')}, LIST: [1, "x", null] }`;
      return { text, json: null };
    }
    return this.scalar(inner.name, purpose);
  }

  private scalar(type: string, purpose: string): Value {
    const plain = (json: unknown): Value => ({ text: JSON.stringify(json), json });
    switch (type) {
      case 'Boolean':
        return plain(this.chance(50));
      case 'Int':
        return plain(this.one(purpose === 'memory' ? [2048, 4096] : [1, 2, 3]));
      case 'Float':
        return plain(this.one([1, 0.5]));
      case 'Bytes':
        return plain(this.one([1, 1_073_741_824]));
      case 'Decimal':
        return plain(this.one(['1', '0.5', 2]));
      case 'DateTime':
        return plain(/^(?:end|to|until|expires)/.test(purpose) ? this.one(laterTimes) : this.one(earlierTimes));
      case 'JSON':
        return this.chance(50) ? { text: '{ A: "1", B: [true] }', json: { A: '1', B: [true] } } : plain('text');
      case 'ID':
        return plain(this.one([...this.known.ids.values(), 'no-id']));
      default:
        return plain(purpose === 'after' ? this.known.changeCursor : this.one(this.known.texts[purpose] ?? anyTexts));
    }
  }
}

const earlierTimes = ['2026-11-01T00:00:00Z', '2026-11-19T12:30:00+02:00'];
const laterTimes = ['2026-11-20T00:00:00Z', '2026-12-01T00:00:00.000Z'];
const anyTexts = ['main', 'x', 'Grüße "quoted" \\ \n', ''];

// The schema as the generator reads it

function rootType(type: Operation['type']): GraphQLObjectType {
  const found = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }[type];
  if (found == null) throw new Error(`the schema has no ${type}`);
  return found;
}

function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name];
  if (field === undefined) throw new Error(`${type.name} has no field ${name}`);
  return field;
}

let booleanType: GraphQLInputType | undefined;

/** `Boolean!`, the type of the argument of `@skip`. */
function booleanRequired(): GraphQLInputType {
  booleanType ??= schema.getDirective('skip')?.args[0]?.type;
  if (booleanType === undefined) throw new Error('the schema has no @skip');
  return booleanType;
}

/** A variable in a literal of the scalar JSON may have any type. */
function jsonVariableTypes(): GraphQLInputType[] {
  const { args } = fieldOf(rootType('query'), 'agents');
  return args.filter(({ name }) => ['first', 'search'].includes(name)).map(({ type }) => type);
}

function isComposite(type: GraphQLNamedType): type is GraphQLCompositeType {
  return isCompositeType(type) && !type.name.startsWith('__');
}

const overlaps = new Map<GraphQLCompositeType, GraphQLCompositeType[]>();

/** The types of fragments that can be in a selection of a type, itself first. */
function overlapping(type: GraphQLCompositeType): GraphQLCompositeType[] {
  const known = overlaps.get(type);
  if (known !== undefined) return known;
  const others = Object.values(schema.getTypeMap()).filter(
    (each): each is GraphQLCompositeType => isComposite(each) && each !== type && doTypesOverlap(schema, type, each),
  );
  const found = [type, type, type, ...others];
  overlaps.set(type, found);
  return found;
}

let steps: Map<GraphQLCompositeType, Step[]> | undefined;

/** The fields that lead to a type on a shortest path from the root of queries, or one field longer. */
function stepsTo(type: GraphQLCompositeType): Step[] {
  steps ??= findSteps();
  return steps.get(type) ?? [];
}

let allGoals: GraphQLCompositeType[] | undefined;

function goals(): GraphQLCompositeType[] {
  steps ??= findSteps();
  return (allGoals ??= [...steps.keys()]);
}

function findSteps(): Map<GraphQLCompositeType, Step[]> {
  const levels = new Map<GraphQLCompositeType, number>([[rootType('query'), 0]]);
  const found = new Map<GraphQLCompositeType, Step[]>();
  const queue: GraphQLCompositeType[] = [rootType('query')];
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    const level = levels.get(from) ?? 0;
    if (isUnionType(from)) continue;
    for (const field of Object.values(from.getFields())) {
      const named = getNamedType(field.type);
      if (!isComposite(named)) continue;
      for (const to of isAbstractType(named) ? [named, ...schema.getPossibleTypes(named)] : [named]) {
        const known = levels.get(to);
        if (known === undefined) {
          levels.set(to, level + 1);
          queue.push(to);
        }
        if ((known ?? level + 1) === level + 1) found.set(to, [...(found.get(to) ?? []), { from, field, to }]);
      }
    }
  }
  return found;
}

/** Whether a value of the type decides that a mutation changes nothing. */
function hasDryRun(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  return isInputObjectType(named) && Object.hasOwn(named.getFields(), 'validateOnly');
}

function withoutEffect(type: GraphQLInputType, input: unknown): unknown {
  return hasDryRun(type) && typeof input === 'object' ? { ...input, validateOnly: true } : input;
}
