// Where problems are in a YAML text, and what can be entered at a place.
import { isMap, isPair, isSeq, parseDocument } from 'yaml';
import { readYaml } from '../../../input/yaml.js';
import type { Problem } from './change-resource.js';
import { ruleOf } from './rule-text.js';

/** A problem at a place of a text. */
export interface TextProblem {
  from: number;
  to: number;
  message: string;
}

/** The syntax errors of a text, or else the problems of its fields. */
export function problemsIn(text: string, problems: readonly Problem[]): TextProblem[] {
  const broken = [...readYaml(text)].flatMap((read) => ('problems' in read ? read.problems : []));
  if (broken.length > 0) {
    return broken.map(({ offset, message }) => ({ ...within(text, offset, offset + 1), message }));
  }
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  return problems.map(({ path, message }) => {
    const [from, to] = rangeOf(document.contents, path.split('.'));
    return { ...within(text, from, to), message: ruleOf(path, message) };
  });
}

/** The value of a path, or the key of the innermost object that exists. */
function rangeOf(contents: unknown, path: readonly string[]): [number, number] {
  let node = contents;
  let range: [number, number] = [0, 0];
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === part);
      if (!isPair(pair)) return range;
      range = spanOf(pair.key) ?? range;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      range = spanOf(node) ?? range;
    } else return range;
  }
  return isMap(node) || isSeq(node) ? range : (spanOf(node) ?? range);
}

function spanOf(node: unknown): [number, number] | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined;
  const [from, to]: unknown[] = node.range;
  return typeof from === 'number' && typeof to === 'number' && to > from ? [from, to] : undefined;
}

/** At least one character, on one line. */
function within(text: string, from: number, to: number): { from: number; to: number } {
  const start = Math.min(from, Math.max(0, text.length - 1));
  const lineEnd = text.indexOf('\n', start);
  const end = Math.min(Math.max(to, start + 1), lineEnd <= start ? text.length : lineEnd, text.length);
  return { from: start, to: Math.max(start, end) };
}

/** A place in a YAML text: the keys around it, and whether a key or a value stands there. */
export interface Place {
  /** The keys around it, without list positions. */
  path: string[];
  /** The key whose value stands there; undefined where a key stands. */
  key: string | undefined;
  /** The other keys of the same object. */
  siblings: string[];
  /** What was typed, up to the place. */
  typed: string;
}

interface Line {
  /** The column of the key. */
  column: number;
  /** Whether the line begins an item of a list. */
  isItem: boolean;
  key: string | undefined;
}

/** @returns undefined in comments and block texts, where nothing can be completed. */
export function placeIn(text: string, position: number): Place | undefined {
  const before = text.slice(0, position).split('\n');
  const current = before.at(-1) ?? '';
  const [, indent = '', typed = ''] = /^((?: |- )*)(.*)$/.exec(current) ?? [];
  if (typed.startsWith('#')) return undefined;
  const column = indent.length;
  const lines = text.split('\n').map(lineOf);
  const number = before.length - 1;
  const path: string[] = [];
  let limit = column;
  let isAtItem = indent.includes('-');
  for (let index = number - 1; index >= 0 && limit > 0; index--) {
    const line = lines[index];
    if (line?.key === undefined) continue;
    const start = line.isItem ? line.column - 2 : line.column;
    // A list may stand at the column of its key.
    const isOwner = line.column < limit || (isAtItem && line.column === limit - 2 && !line.isItem);
    if (isOwner) {
      path.unshift(line.key);
      limit = line.column;
      isAtItem = line.isItem;
    } else if (line.isItem && line.column === limit) {
      limit = start + 1;
      isAtItem = true;
    }
  }
  const value = /^([\w.-]+):\s+(.*)$/.exec(typed);
  const siblings = siblingsOf(lines, number, column);
  if (value !== null) return { path, key: value[1], siblings, typed: value[2] ?? '' };
  return /^[\w.-]*$/.test(typed) ? { path, key: undefined, siblings, typed } : undefined;
}

function lineOf(text: string): Line {
  const [, indent = '', key] = /^((?: |- )*)(?:([\w.-]+):(?:\s|$))?/.exec(text) ?? [];
  return { column: indent.length, isItem: indent.includes('-'), key };
}

/** The keys of the object at a column around a line. */
function siblingsOf(lines: readonly Line[], number: number, column: number): string[] {
  const found: string[] = [];
  const walk = (index: number, step: -1 | 1): void => {
    const line = lines[index];
    if (line === undefined || (line.key !== undefined && line.column < column)) return;
    const isSame = line.column === column && line.key !== undefined;
    if (step === 1 && line.isItem && line.column <= column) return;
    if (isSame && line.key !== undefined) found.push(line.key);
    if (step === -1 && line.isItem && line.column <= column) return;
    walk(index + step, step);
  };
  if (lines[number]?.isItem !== true) walk(number - 1, -1);
  walk(number + 1, 1);
  return found;
}
