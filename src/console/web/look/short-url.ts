const hostMax = 32;

/** The host and the last segment of the path, such as `api.example.com/…/triage`. A long host is cut in its middle. */
export function shortUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1);
  const path = last === undefined ? '' : segments.length === 1 ? `/${last}` : `/…/${last}`;
  return `${cutMiddle(host, hostMax)}${path}`;
}

function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (max - 1 - head))}`;
}
