import { createHash } from 'node:crypto';

/** For phones first, in light and dark, with a focus that is seen and targets that are easy to hit. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: #16181d; --quiet: #555b66; --paper: #fff; --field: #fff; --line: #767d8a;
  --back: #f1f3f6; --accent: #3340c4; --on-accent: #fff; --alarm: #a11220; --alarm-back: #fdecee; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef2; --quiet: #abb1bd; --paper: #1b1e25; --field: #12141a; --line: #868d9b; --back: #101217;
    --accent: #a9b2ff; --on-accent: #12141a; --alarm: #ffb3ba; --alarm-back: #3a161b; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; padding: 1rem;
  background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 30rem; margin: auto; padding: 1.5rem; background: var(--paper); border-radius: .75rem;
  overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.125rem; line-height: 1.25; }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding: 0; list-style: none; }
li + li { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
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
button.plain { background: transparent; color: var(--accent); }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.buttons button { flex: 1 1 8rem; }
a { color: var(--accent); }
:focus-visible { outline: .2rem solid var(--accent); outline-offset: .15rem; }
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
footer form { display: inline; }
footer button { min-height: 2.75rem; padding: 0 .25rem; border: 0; text-decoration: underline; }
`;

/** The hash of the style, so that the CSP of the page allows only this style. */
export const styleSource = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;
