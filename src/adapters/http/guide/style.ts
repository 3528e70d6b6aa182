/** The stylesheet of the guide: light and dark, from 320 pixels on. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ink: #1f2937;
  --quiet: #4b5563;
  --paper: #fff;
  --raised: #f3f4f6;
  --line: #d1d5db;
  --link: #1d4ed8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e5e7eb;
    --quiet: #b6bdc8;
    --paper: #111827;
    --raised: #1f2937;
    --line: #374151;
    --link: #93c5fd;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 17px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: break-word; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--paper); z-index: 1; }
.skip:focus { top: .5rem; }
header { border-bottom: 1px solid var(--line); padding: .75rem 1.25rem; }
.brand { font-weight: 700; color: inherit; text-decoration: none; display: inline-block; padding: .25rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0; padding: 0; list-style: none; }
nav li { margin: 0; }
nav a { display: block; padding: .35rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav [aria-current] { color: inherit; font-weight: 600; box-shadow: inset 0 -2px var(--link); }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; outline: none; }
h1 { font-size: 2rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 0 0 .5rem; }
h3 span { color: var(--quiet); font-weight: 400; font-size: .9em; white-space: nowrap; }
.lead { font-size: 1.15rem; color: var(--quiet); margin-top: 0; }
code { font: .88em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
:not(pre) > code { background: var(--raised); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; margin: 1rem 0; line-height: 1.45; }
pre code { font-size: .85rem; overflow-wrap: normal; }
ul, ol { padding-left: 1.4rem; }
li { margin: .4rem 0; }
dt { margin-top: .9rem; }
dd { margin: .2rem 0 0 1rem; }
details { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; padding: .7rem 0; font-weight: 600; }
.index { columns: 15rem; padding: 0; list-style: none; font-size: .9rem; }
.index li { margin: 0; }
.index a { display: block; padding: .25rem 0; }
.entry { border-top: 1px solid var(--line); padding: 1.25rem 0 .75rem; }
.entry p { margin: .35rem 0; }
footer { border-top: 1px solid var(--line); padding: 1rem 1.25rem; }
@media (max-width: 40rem) {
  pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media (min-width: 64rem) {
  body { display: grid; grid-template: 1fr auto / 15rem 1fr; min-height: 100vh; }
  header { grid-row: 1 / 3; border: 0; border-right: 1px solid var(--line); padding: 1.5rem; }
  header nav { position: sticky; top: 1.5rem; margin-top: 1rem; }
  nav ul { display: block; }
  nav [aria-current] { box-shadow: none; }
  main { width: 100%; padding-top: 2rem; }
}
`;
