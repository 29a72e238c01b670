// The name of a browser, from its user agent.

/** The most specific first, because most user agents also contain the names of other browsers. */
const browsers = [
  { sign: /Edg(?:e|A|iOS)?\//, word: 'Edge' },
  { sign: /OPR\/|Opera/, word: 'Opera' },
  { sign: /SamsungBrowser\//, word: 'Samsung Internet' },
  { sign: /Firefox\/|FxiOS\//, word: 'Firefox' },
  { sign: /Chrome\/|CriOS\/|Chromium\//, word: 'Chrome' },
  { sign: /Safari\//, word: 'Safari' },
] as const;

const systems = [
  { sign: /iPhone|iPod/, word: 'iPhone' },
  { sign: /iPad/, word: 'iPad' },
  { sign: /Android/, word: 'Android' },
  { sign: /CrOS/, word: 'ChromeOS' },
  { sign: /Windows/, word: 'Windows' },
  { sign: /Mac OS X|Macintosh/, word: 'macOS' },
  { sign: /Linux|X11/, word: 'Linux' },
] as const;

/** Such as "Firefox on macOS"; the user agent itself if it is unknown. */
export function browserWord(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser';
  const browser = browsers.find(({ sign }) => sign.test(userAgent))?.word;
  const system = systems.find(({ sign }) => sign.test(userAgent))?.word;
  if (browser === undefined) return userAgent.length > 60 ? `${userAgent.slice(0, 60)}…` : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
