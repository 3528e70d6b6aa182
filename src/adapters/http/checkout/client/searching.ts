/** Shows only the currencies whose coin or network contains every typed word. */
import type { ScriptParts } from './parts.ts';

export function searching({ main }: ScriptParts): void {
  const field = main.querySelector<HTMLInputElement>('#search');
  const empty = main.querySelector<HTMLElement>('#no-match');
  if (!field || !empty) return;
  const filter = (): void => {
    const words = field.value.toLowerCase().split(/\s+/);
    let found = 0;
    for (const coin of main.querySelectorAll<HTMLElement>('.coin')) {
      let here = 0;
      for (const network of coin.querySelectorAll<HTMLElement>('[data-search]')) {
        const text = network.dataset.search ?? '';
        network.hidden = !words.every((word) => text.includes(word));
        if (!network.hidden) here += 1;
      }
      coin.hidden = here === 0;
      found += here;
    }
    empty.textContent = found === 0 ? (empty.dataset.text ?? '') : '';
  };
  field.hidden = false;
  field.addEventListener('input', filter);
  // Enter would submit the form with its first button.
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  filter();
}
