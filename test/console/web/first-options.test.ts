import { describe, expect, it } from 'vitest';
import { firstOptions, optionsShownMax } from '../../../src/console/web/look/first-options.js';

describe('The options of a list that are shown', () => {
  const options = Array.from({ length: optionsShownMax + 30 }, (_none, index) => index);

  it('are the first ones, with the number of the others', () => {
    const { shown, hiddenCount } = firstOptions(options, () => false);
    expect(shown).toEqual(options.slice(0, optionsShownMax));
    expect(hiddenCount).toBe(30);
  });

  it('are all if there are few', () => {
    expect(firstOptions(options.slice(30), () => false)).toEqual({ shown: options.slice(30), hiddenCount: 0 });
  });

  it('begin with the current ones that are further down', () => {
    const last = options.length - 1;
    const { shown, hiddenCount } = firstOptions(options, (each) => each === last);
    expect(shown).toEqual([last, ...options.slice(0, optionsShownMax - 1)]);
    expect(hiddenCount).toBe(30);
    const ofTwo = firstOptions(options, (each) => each >= last - 1);
    expect(ofTwo.shown).toEqual([last - 1, last, ...options.slice(0, optionsShownMax - 2)]);
    expect(firstOptions(options, (each) => each === 3).shown).toEqual(options.slice(0, optionsShownMax));
  });
});
