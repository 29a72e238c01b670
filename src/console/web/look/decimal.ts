// Exact decimal amounts of the API. Sums use whole nano-units, so that totals are exact.
const places = 9;
const one = 10n ** BigInt(places);

/** Whole nano-units of a decimal text such as "12.000000001"; the API has at most nine decimals. */
export function nanoFrom(decimal: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const nano = BigInt(whole) * one + BigInt(fraction.padEnd(places, '0').slice(0, places));
  return sign === '-' ? -nano : nano;
}

/** The decimal text of whole nano-units, without trailing zeros. */
export function decimalFrom(nano: bigint): `${number}` {
  const size = nano < 0n ? -nano : nano;
  const fraction = String(size % one)
    .padStart(places, '0')
    .replace(/0+$/, '');
  return toDecimal(`${nano < 0n ? '-' : ''}${size / one}${fraction === '' ? '' : `.${fraction}`}`);
}

/** The text as Intl takes it without losing digits; 0 if it is not a decimal number. */
export function toDecimal(text: string): `${number}` {
  return isNumber(text) ? text : '0';
}

export function sumOf(decimals: Iterable<string>): bigint {
  let sum = 0n;
  for (const decimal of decimals) sum += nanoFrom(decimal);
  return sum;
}

function isNumber(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}
