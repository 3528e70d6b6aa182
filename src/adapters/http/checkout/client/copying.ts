/** Copies exact texts, and confirms it on the button and to screen readers. */
import type { ScriptParts } from './parts.ts';

const SHOWN_MS = 2_000;

export function copying({ main, announce, ended }: ScriptParts): void {
  for (const button of main.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    const word = button.querySelector('span');
    const before = word?.textContent ?? '';
    let resetting: ReturnType<typeof setTimeout>;
    button.addEventListener('click', async () => {
      if (!(await copied(button))) return;
      const done = button.dataset.done ?? '';
      button.classList.add('done');
      if (word) word.textContent = done;
      announce(`${done}: ${describedBy(button)}`);
      clearTimeout(resetting);
      resetting = setTimeout(() => {
        button.classList.remove('done');
        if (word) word.textContent = before;
      }, SHOWN_MS);
    });
    ended.addEventListener('abort', () => clearTimeout(resetting));
  }
}

function describedBy(button: HTMLElement): string {
  return document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
}

/** A page without TLS has no clipboard API. It selects the text and uses `execCommand` instead. */
async function copied(button: HTMLElement): Promise<boolean> {
  const text = button.dataset.copy ?? '';
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'unseen';
    button.after(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    button.focus();
    return done;
  }
}
