import { formatCount } from './money.js';

/** The number of options of a list that are shown at once. The others are found by typing. */
export const optionsShownMax = 50;

interface FirstOptions<Option> {
  shown: readonly Option[];
  /** The number of options that are not shown. */
  hiddenCount: number;
}

/** The first options of a list, with the current ones before them that are further down. */
export function firstOptions<Option>(
  options: readonly Option[],
  isCurrent: (option: Option) => boolean,
): FirstOptions<Option> {
  const hiddenCount = Math.max(options.length - optionsShownMax, 0);
  const current = options.slice(optionsShownMax).filter(isCurrent).slice(0, optionsShownMax);
  return { shown: [...current, ...options.slice(0, optionsShownMax - current.length)], hiddenCount };
}

/** Says how many options are not shown. */
export function moreOptionsText(hiddenCount: number): string {
  return `${formatCount(hiddenCount)} more. Type to narrow the list.`;
}
