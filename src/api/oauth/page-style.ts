import { createHash } from 'node:crypto';

/**
 * For phones first, in light and dark, with a focus that is seen and targets that are easy to hit. The colors are those of the
 * console (src/console/web/look/tokens.css): slate, indigo and red of Radix.
 */
export const pageStyle = `
:root { color-scheme: light dark; --ink: #1c2024; --quiet: #60646c; --paper: #fcfcfd; --field: #fff; --line: #80838d;
  --thin: #d9d9e0; --back: #f0f0f3; --accent: #3e63dd; --accent-ink: #3a5bc7; --on-accent: #fff; --alarm: #ce2c31;
  --alarm-back: #feebec; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --quiet: #b0b4ba; --paper: #18191b; --field: #111113; --line: #777b84; --thin: #363a3f;
    --back: #111113; --accent: #3e63dd; --accent-ink: #9eb1ff; --on-accent: #fff; --alarm: #ff9592;
    --alarm-back: #3b1219; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; padding: 1rem;
  background: var(--back); color: var(--ink);
  font: .875rem/1.5 'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.mark { display: flex; gap: .5rem; align-items: center; margin: 0 0 1.25rem; font-weight: 600; }
.mark svg { width: 1.5rem; height: 1.5rem; }
main { width: 100%; max-width: 26rem; margin: auto; padding: 1.5rem; background: var(--paper); border-radius: .75rem;
  border: 1px solid var(--thin);
  overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.4; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1rem; line-height: 1.4; }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding: 0; list-style: none; }
li + li { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--thin); }
details { margin: .5rem 0; }
details ul { padding-left: 1.25rem; list-style: disc; }
details li + li { margin: 0; padding: 0; border: 0; }
summary { min-height: 1.75rem; cursor: pointer; }
.quiet { color: var(--quiet); }
.alarm { margin: 1rem 0; padding: .75rem 1rem; border-left: .3rem solid var(--alarm); background: var(--alarm-back);
  color: var(--alarm); }
.notice { margin: 1rem 0; padding: .75rem 1rem; border-left: .3rem solid var(--accent); background: var(--back); }
label { display: block; font-weight: 600; }
form > label { margin-top: 1rem; }
input:not([type=checkbox]), select { width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem;
  border: 1px solid var(--line); border-radius: .4rem; background: var(--field); color: var(--ink); font: inherit; }
fieldset { margin: 1rem 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
.choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; font-weight: 400; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.choices { max-height: 22rem; overflow-y: auto; }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--accent); border-radius: .4rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button.plain { border-color: var(--line); background: transparent; color: var(--ink); }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.buttons button { flex: 1 1 8rem; }
a { color: var(--accent-ink); }
:focus-visible { outline: .2rem solid var(--accent); outline-offset: .15rem; }
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--thin); }
footer form { display: inline; }
footer button, footer button.plain { min-height: 2.75rem; padding: 0 .25rem; border: 0; color: var(--accent-ink);
  text-decoration: underline; }
`;

/** The style that loads the typeface of the console. */
export function typefaceStyle(path: string): string {
  return `@font-face { font-family: 'Inter Variable'; font-display: swap; font-weight: 100 900; src: url("${path}") format("woff2"); }`;
}

/** The hash of a style, so that the CSP of the page allows only this style. */
export function styleSource(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
}
