// One locale: all formatters of the console come from one place.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { formatFineMoney, formatPrice } from '../../../src/console/web/look/money.js';

it('creates formatters of numbers, dates and money only in look/locale.ts', () => {
  const folder = fileURLToPath(new URL('../../../src/console/web/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const formatting = files.filter((file) =>
    /new Intl\.|\.toLocale(String|DateString|TimeString)\(|\.toFixed\([^)]*\)\} ?[%a-z]/.test(
      readFileSync(folder + file, 'utf8'),
    ),
  );
  expect(formatting).toEqual(['look/locale.ts']);
});

it('writes no percent sign behind a number itself, because its place depends on the locale', () => {
  const folder = fileURLToPath(new URL('../../../src/console/web/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const writing = files.filter((file) => /\} %/.test(readFileSync(folder + file, 'utf8')));
  expect(writing).toEqual([]);
});

it('shows amounts under a cent with two significant digits, and prices with all digits', () => {
  expect(formatFineMoney(140_000n)).toBe('$0.00014');
  expect(formatFineMoney(-45_123n)).toBe('-$0.000045');
  expect(formatFineMoney(10_000_000n)).toBe('$0.01');
  expect(formatFineMoney(0n)).toBe('$0.00');
  expect(formatPrice('0.000011512345')).toBe('$0.000011512345');
  expect(formatPrice('3')).toBe('$3.00');
});
