import { chromium } from 'playwright-core';
const [origin, out, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
const width = Number(process.env.W ?? 1280);
const context = await browser.newContext({ viewport: { width, height: Number(process.env.H ?? 1000) }, locale: 'en-GB' });
context.setDefaultTimeout(120_000);
const page = await context.newPage();
page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) console.log('console', m.text()); });
await page.goto(origin + '/');
await page.getByRole('button', { name: /Continue as/ }).click();
await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
for (const path of paths) {
  await page.goto(origin + path);
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(2500);
  const file = `${out}/${path.replaceAll(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'}-${width}.png`;
  await page.screenshot({ path: file });
  console.log(file);
}
await browser.close();
