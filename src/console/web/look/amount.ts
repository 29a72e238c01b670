import { numberFormat } from './locale.js';

const number = numberFormat({ maximumFractionDigits: 1 });

/** Megabytes in a readable unit: 512 MB, 4 GB, 1.5 TB. */
export function formatMegabytes(megabytes: number): string {
  if (megabytes < 1024) return `${number.format(megabytes)} MB`;
  if (megabytes < 1024 * 1024) return `${number.format(megabytes / 1024)} GB`;
  return `${number.format(megabytes / 1024 / 1024)} TB`;
}

export function formatBytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${number.format(bytes / 1024)} KB` : formatMegabytes(bytes / 1024 / 1024);
}

/** The cores allocated for an amount of memory. */
export function formatCores(megabytes: number): string {
  const cores = megabytes / 2048;
  return `${number.format(cores)} ${cores === 1 ? 'core' : 'cores'}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${numberFormat().format(count)} ${count === 1 ? one : many}`;
}
