// A resource as editable text: its metadata and spec.
import { readYaml } from '../../../input/yaml.js';
import { inputFrom, plainFrom, yamlOf } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';
import { isFields, patchBetween } from './patch.js';
import type { Fields, Patch } from './patch.js';

export type TextFormat = 'yaml' | 'json';

export function textOf(document: Fields, format: TextFormat): string {
  return format === 'yaml' ? yamlOf(document) : `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads YAML, and JSON, which is YAML as well. */
export function documentIn(text: string): { document: Fields } | { problem: string } {
  const read = valueIn(text);
  if ('problem' in read) return read;
  const plain = plainFrom(read.value);
  if (!isFields(plain)) return { problem: 'The text must be a map of metadata and spec.' };
  const strange = Object.keys(plain).find((name) => name !== 'metadata' && name !== 'spec');
  if (strange !== undefined) return { problem: `“${strange}” cannot be edited. Only metadata and spec are allowed.` };
  const { metadata = {}, spec = {} } = plain;
  if (!isFields(metadata)) return { problem: 'metadata must be a map.' };
  if (!isFields(spec)) return { problem: 'spec must be a map.' };
  const { labels = {} } = metadata;
  if (!isFields(labels)) return { problem: 'metadata.labels must be a map of keys and values.' };
  const wrong = Object.entries(labels).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) return { problem: `metadata.labels.${wrong[0]} must be text. Put it in quotes.` };
  return { document: { metadata, spec } };
}

/** The value of a YAML text; the text itself if it is not valid YAML. */
export function plainIn(text: string): Plain | undefined {
  const read = valueIn(text);
  return 'problem' in read ? text : plainFrom(read.value);
}

function valueIn(text: string): { value: unknown } | { problem: string } {
  const [first, second] = readYaml(text);
  if (first === undefined) return { value: null };
  if (second !== undefined) return { problem: 'The text must be one document, without a line of ---.' };
  const [problem] = 'problems' in first ? first.problems : [];
  if (problem !== undefined) return { problem: `Line ${problem.line}: ${problem.message}` };
  return { value: 'value' in first ? JSON.parse(JSON.stringify(first.value)) : null };
}

/**
 * The input that creates the resource of a document.
 *
 * @param hasSpec whether the type has a spec.
 */
export function creationOf({ metadata = {}, spec }: Fields, hasSpec = true): Patch {
  const { labels, ...named } = isFields(metadata) ? metadata : {};
  return {
    metadata: { ...named, ...(labels === undefined ? {} : { labels: listOf(labels) }) },
    ...(spec === undefined || !hasSpec ? {} : { spec: inputFrom(spec) }),
  };
}

/** The input that updates a resource from one document to another. */
export function updateBetween(before: Fields, after: Fields): Patch {
  return patchBetween(inputOf(before), inputOf(after));
}

function inputOf({ metadata = {}, spec = {} }: Fields): Fields {
  const { labels = {}, ...named } = isFields(metadata) ? metadata : {};
  return { metadata: { ...named, labels: listOf(labels) }, spec: inputFrom(spec) };
}

function listOf(labels: Plain): Plain[] {
  return Object.entries(isFields(labels) ? labels : {}).map(([key, value]) => ({ key, value }));
}
