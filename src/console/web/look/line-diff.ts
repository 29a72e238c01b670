// What differs between two texts, line by line.

export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** Past this many pairs of lines the texts stand one after the other: comparing them would hold up the page. */
const pairsMax = 4_000_000;

/** The fewest lines that go and come so that one text becomes the other; of both at a place, what goes stands first. */
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
  // How many lines the rests of both texts have in common, from each pair of places on.
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
    const [gone, come] = [before[from], after[to]];
    if (gone !== undefined && gone === come) {
      lines.push({ sign: ' ', text: gone });
      from++;
      to++;
    } else if (gone !== undefined && (come === undefined || at(from + 1, to) >= at(from, to + 1))) {
      lines.push({ sign: '-', text: gone });
      from++;
    } else {
      lines.push({ sign: '+', text: come ?? '' });
      to++;
    }
  }
  return lines;
}
