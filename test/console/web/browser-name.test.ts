import { describe, expect, it } from 'vitest';
import { browserWord } from '../../../src/console/web/self/browser-name.js';

const chrome = 'Chrome/142.0.0.0 Safari/537.36';

describe('The description of a browser', () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${chrome}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${chrome} Edg/142.0.0.0`, 'Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on macOS'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome}`, 'Chrome on Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
    [null, 'Unknown browser'],
  ])('%s is “%s”', (userAgent, word) => {
    expect(browserWord(userAgent)).toBe(word);
  });

  it('truncates an unknown user agent', () => {
    expect(browserWord('x'.repeat(5000))).toHaveLength(61);
  });
});
