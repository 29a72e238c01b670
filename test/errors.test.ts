// Texts of callers in messages of errors.
import { expect, it } from 'vitest';
import { cutText, quoted } from '../src/errors.js';
import { problemAt } from '../src/schema/problem.js';

/** Of each length, a text whose last character can be cut in half. */
const texts = Array.from({ length: 6 }, (_, n) => `${'a'.repeat(n)}${'\u{1F69A}'.repeat(60)}`);

it.each(texts)('the text %s is not cut between the two halves of a surrogate pair', (text) => {
  const { path, message } = problemAt([text, 'name'], 'invalid_value', 'must be shorter');
  for (const shown of [cutText(text, 99), cutText(text, 100), quoted(text), message, ...path]) {
    expect(shown).not.toMatch(/\p{Cs}/u);
    expect(shown.length).toBeLessThan(130);
  }
});
