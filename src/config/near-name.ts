/** Whether two texts differ by one letter (missing, added or changed), or by two neighbouring letters that are swapped. */
export function isNear(one: string, other: string): boolean {
  const [short = '', long = ''] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  const isSwapped = short[start] === long[start + 1] && short[start + 1] === long[start];
  const rests =
    short.length === long.length
      ? [
          short.slice(start + 1) === long.slice(start + 1),
          isSwapped && short.slice(start + 2) === long.slice(start + 2),
        ]
      : [short.slice(start) === long.slice(start + 1)];
  return rests.includes(true);
}
