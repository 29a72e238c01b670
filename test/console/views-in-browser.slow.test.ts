// Every view, in both themes, wide and narrow: no axe violations and no overflow. With SCREENSHOTS=FOLDER it saves a
// picture of each.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { addresses, addressOf, prepareViews } from './all-views.js';
import { complaintsIn, freePort, hasBrowser, settled, useConsole } from './browser.js';

const port = await freePort();
const origin = `http://localhost:${port}`;
const running = useApp({ PUBLIC_URL: origin });
const router = readFileSync(new URL('../../src/console/web/frame/router.tsx', import.meta.url), 'utf8');

/** The routes of the router that have a view, as its source declares them. */
function routesOf(source: string): string[] {
  const blocks = source.split(/^const (?=\w+ = createRoute\()/m).slice(1);
  const found = new Map(
    blocks.map((block) => {
      const part = (pattern: RegExp) => pattern.exec(block)?.[1] ?? '';
      const [name, parent, path] = [/^(\w+)/, /getParentRoute: \(\) => (\w+)/, /path: '([^']*)'/].map(part);
      return [name, { parent, path, hasView: block.includes('lazyRouteComponent(') }] as const;
    }),
  );
  const pathOf = (name: string | undefined): string[] => {
    const route = found.get(name);
    return route === undefined ? [] : [...pathOf(route.parent), ...(route.path ?? '').split('/').filter(Boolean)];
  };
  return [...found].flatMap(([name, { hasView }]) => (hasView ? [`/${pathOf(name).join('/')}`] : []));
}

describe.skipIf(!hasBrowser)('The views of the console', () => {
  const opened = useConsole(running, port);
  let names: ReadonlyMap<string, string>;

  beforeAll(async () => {
    names = await prepareViews(running.app);
  });

  it('are all listed in this test', () => {
    const routes = routesOf(router);
    expect(routes.length).toBe(router.match(/lazyRouteComponent\(\(/g)?.length);
    expect(routes.toSorted()).toEqual(Object.keys(addresses).toSorted());
  });

  for (const [view, address] of Object.values(addresses).flatMap(Object.entries)) {
    it(`have no axe violations: ${view}`, async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(origin + addressOf(address, names));
      await settled(page);
      expect(await complaintsIn(page, view)).toEqual([]);
    });
  }
});
