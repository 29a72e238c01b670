// What an update changed, in a few words: "Image r17 → r18" instead of spec.runtime.image.
import { formatMegabytes } from '../look/amount.js';
import { fieldWord } from '../look/labels.js';
import { numberFormat } from '../look/locale.js';
import { valueAt } from './value-at.js';

interface Changed {
  fields: readonly string[];
  before: unknown;
  after: unknown;
}

/** Longer values are left to the details of the change. */
const valueMax = 32;
const shownMax = 2;

/** Fields that follow from other changed fields, or from the update itself. */
const derived = new Set(['status', 'metadata.updatedAt', 'metadata.updatedBy']);

/** The changed fields with their values; empty if there are none. */
export function changeSummary({ fields, before, after }: Changed): string {
  const names = fields.filter((field) => !derived.has(field));
  // A new image has a new revision of the same name.
  const own = names.length > 1 ? names.filter((field) => field !== 'spec.revision.active') : names;
  const shown = own
    .slice(0, shownMax)
    .map((field) => fieldSummary(field, valueAt(before, field), valueAt(after, field)));
  const more = own.length - shown.length;
  return [...shown, ...(more > 0 ? [`${numberFormat().format(more)} more`] : [])].join(', ');
}

function fieldSummary(field: string, before: unknown, after: unknown): string {
  const label = labelOf(field);
  if (field === 'spec.enabled' && typeof after === 'boolean') return after ? 'Enabled' : 'Disabled';
  const [from, to] = [valueText(field, before), valueText(field, after)];
  if (from === to) return label;
  if (field === 'spec.runtime.image') return `${label} ${imageChange(from ?? '', to ?? '')}`;
  if (from === undefined || to === undefined) return label;
  if (from === '') return `${label} ${to}`;
  if (to === '') return `${label} removed`;
  return `${label} ${from} → ${to}`;
}

/** Such as "Label team" for metadata.labels.team. */
function labelOf(field: string): string {
  const [, label] = /^metadata\.labels\.(.+)$/.exec(field) ?? [];
  if (label !== undefined) return `Label ${label}`;
  return fieldWord(field.split('.').at(-1) ?? field);
}

/** A short value; empty if it is not set, undefined if it is too long or has parts. */
function valueText(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') {
    if (field.endsWith('.memory') || field.endsWith('.sizeMb')) return formatMegabytes(value);
    return numberFormat().format(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return undefined;
  return field === 'spec.runtime.image' || value.length <= valueMax ? value : undefined;
}

/** The tags alone if only the tag changed; otherwise the last part of each address. */
function imageChange(from: string, to: string): string {
  const [one, other] = [splitImage(from), splitImage(to)];
  if (one.name === other.name) return `${one.tag} → ${other.tag}`;
  const short = ({ name, tag }: { name: string; tag: string }) => `${name.split('/').at(-1) ?? ''}:${tag}`;
  return from === '' ? short(other) : `${short(one)} → ${short(other)}`;
}

function splitImage(image: string): { name: string; tag: string } {
  const [, name = image, tag = 'latest'] = /^(.*?)[:@]([^:/@]+(?::[^:/@]+)?)$/.exec(image) ?? [];
  return { name, tag };
}
