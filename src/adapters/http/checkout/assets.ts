/** The stylesheet and the script of the checkout, served from our own host. */

export const STYLE = `:root {
  color-scheme: light dark;
  --ink: #14181f; --soft: #5b6472; --line: #e3e7ee; --paper: #fff; --ground: #f3f5f9;
  --accent: #2456d6; --accent-ink: #fff; --good: #0f7b4a; --warn: #8a5a00; --bad: #b3261e; --banner: #fff3cd; --banner-ink: #664d03;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #eef1f6; --soft: #a3adbd; --line: #2c3442; --paper: #171c25; --ground: #0e1218;
    --accent: #7ea2ff; --accent-ink: #0b1020; --good: #5fd39c; --warn: #f0c060; --bad: #ff8a80; --banner: #4a3a06; --banner-ink: #ffe9a8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 460px; margin: 0 auto; padding: 24px 16px 48px; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; padding: 24px 20px; }
.banner {
  background: var(--banner); color: var(--banner-ink); border-radius: 12px; padding: 10px 14px; margin: 0 0 16px; font-size: 14px;
}
h1 { font-size: 18px; margin: 0; overflow-wrap: anywhere; }
.description { color: var(--soft); margin: 4px 0 0; font-size: 15px; white-space: pre-line; overflow-wrap: anywhere; }
.price { margin: 20px 0 0; font-size: 30px; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.price small { display: block; margin-top: 4px; font-size: 15px; font-weight: 400; color: var(--soft); }
.status { display: flex; gap: 10px; align-items: baseline; margin: 18px 0 0; padding: 12px 14px; border-radius: 12px; background: var(--ground); }
.status::before { content: ""; flex: none; width: 10px; height: 10px; border-radius: 50%; background: var(--soft); }
.status.waiting::before { background: var(--accent); }
.status.good::before { background: var(--good); }
.status.warn::before { background: var(--warn); }
.status.bad::before { background: var(--bad); }
.status strong { display: block; }
.status span { color: var(--soft); font-size: 14px; }
.qr { display: flex; justify-content: center; margin: 20px 0 0; }
.qr svg { width: 208px; height: 208px; border-radius: 12px; background: #fff; padding: 8px; }
.field { margin: 16px 0 0; }
.field b { display: block; font-size: 13px; font-weight: 500; color: var(--soft); margin-bottom: 4px; }
.value { display: flex; gap: 8px; align-items: center; border: 1px solid var(--line); border-radius: 10px; padding: 10px 12px; }
.value code { flex: 1; font: 14px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.hint { color: var(--soft); font-size: 14px; margin: 14px 0 0; }
.hint b { color: var(--ink); }
button, .button {
  font: inherit; border-radius: 10px; border: 1px solid var(--line); background: var(--paper); color: var(--ink); cursor: pointer;
}
.copy { flex: none; font-size: 13px; padding: 4px 10px; }
.choices { list-style: none; margin: 14px 0 0; padding: 0; display: grid; gap: 8px; }
.choices button { display: flex; justify-content: space-between; width: 100%; padding: 12px 14px; text-align: left; }
.choices button:hover, .choices button:focus-visible { border-color: var(--accent); }
.choices span { color: var(--soft); }
.button { display: block; margin-top: 18px; padding: 12px; text-align: center; text-decoration: none; }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); font-weight: 600; }
footer { text-align: center; color: var(--soft); font-size: 13px; margin-top: 18px; }
[hidden] { display: none !important; }
`;

/** Reloads when the invoice changed, counts down, copies. Without it the page reloads itself now and then. */
export const SCRIPT = `const main = document.querySelector('main[data-state]');
if (main) {
  const { status, state } = main.dataset;
  const check = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(status, { cache: 'no-store' });
      if (answer.ok && (await answer.json()).state !== state) location.reload();
    } catch {}
  };
  if (main.dataset.open === 'true') {
    setInterval(check, 5000);
    document.addEventListener('visibilitychange', check);
  }
  const clock = document.querySelector('time[data-left]');
  if (clock) {
    const end = performance.now() + Number(clock.dataset.left) * 1000;
    const show = () => {
      const left = Math.max(0, Math.round((end - performance.now()) / 1000));
      const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
      clock.textContent = (parts[0] > 0 ? parts : parts.slice(1)).map((part) => String(part).padStart(2, '0')).join(':');
      if (left === 0) setTimeout(() => location.reload(), 2000), clearInterval(ticking);
    };
    const ticking = setInterval(show, 1000);
    show();
  }
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = !navigator.clipboard;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
  }
}
`;
