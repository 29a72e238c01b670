// The differences between two texts, line by line.

export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** Above this number of line pairs, all lines are shown as removed and added, because comparing would block the page. */
const pairsMax = 4_000_000;

/** The smallest line difference between two texts. Removed lines come before added ones. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > pairsMax) {
    return [
      ...before.map((text): DiffLine => ({ sign: '-', text })),
      ...after.map((text): DiffLine => ({ sign: '+', text })),
    ];
  }
  const width = after.length + 1;
  // The number of common lines of both texts from each pair of positions onwards.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (from: number, to: number) => common[from * width + to] ?? 0;
  for (let from = before.length - 1; from >= 0; from--) {
    for (let to = after.length - 1; to >= 0; to--) {
      common[from * width + to] =
        before[from] === after[to] ? at(from + 1, to + 1) + 1 : Math.max(at(from + 1, to), at(from, to + 1));
    }
  }
  const lines: DiffLine[] = [];
  for (let [from, to] = [0, 0]; from < before.length || to < after.length;) {
    const [removed, added] = [before[from], after[to]];
    if (removed !== undefined && removed === added) {
      lines.push({ sign: ' ', text: removed });
      from++;
      to++;
    } else if (removed !== undefined && (added === undefined || at(from + 1, to) >= at(from, to + 1))) {
      lines.push({ sign: '-', text: removed });
      from++;
    } else {
      lines.push({ sign: '+', text: added ?? '' });
      to++;
    }
  }
  return lines;
}
