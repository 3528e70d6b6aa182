/**
 * The preview of the brand follows the form beside it: name, colour, logo and where customers get
 * help. Nothing is sent. Colours are set on the element itself, which the page's policy allows.
 */
import { inkOn, shadeAgainst } from '../../checkout/page/accent.ts';

/** The lightest background in dark colours (base.css), and what text on it needs (WCAG 2.2). */
const DARK_GROUND = '#1c222d';
const FOR_TEXT = 4.5;

export function brandPreview(): void {
  const preview = document.querySelector<HTMLElement>('[data-preview]');
  const form = document.querySelector<HTMLFormElement>('form:has(input[name="accent"])');
  if (!preview || !form || preview.dataset.ready) return;
  preview.dataset.ready = 'yes';
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const show = () => {
    tell(preview, 'name', input(form, 'name').value);
    tell(preview, 'support', input(form, 'support').value);
    colour(preview, input(form, 'no_accent').checked ? null : input(form, 'accent').value, dark.matches);
    const logo = preview.querySelector<HTMLElement>('[data-preview-of="logo"]');
    if (logo) logo.hidden = form.querySelector<HTMLInputElement>('[name="no_logo"]')?.checked ?? false;
  };
  form.addEventListener('input', (event) => {
    const { name } = event.target as HTMLInputElement;
    // A colour that is chosen is meant.
    if (name === 'accent') input(form, 'no_accent').checked = false;
    if (name === 'logo') void readLogo(preview, input(form, 'logo').files?.[0] ?? null).then(show);
    show();
  });
  dark.addEventListener('change', show);
  show();
}

function input(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

function tell(preview: HTMLElement, name: string, text: string): void {
  const part = preview.querySelector(`[data-preview-of="${name}"]`);
  if (part) part.textContent = text;
}

function colour(preview: HTMLElement, accent: string | null, isDark: boolean): void {
  const shown = accent !== null && isDark ? shadeAgainst(accent, DARK_GROUND, FOR_TEXT) : accent;
  for (const [name, value] of [
    ['--accent', shown],
    ['--accent-ink', shown === null ? null : inkOn(shown)],
  ] as const) {
    if (value === null) preview.style.removeProperty(name);
    else preview.style.setProperty(name, value);
  }
}

/** The page's policy shows pictures of `data:`, and none of `blob:`. */
function readLogo(preview: HTMLElement, file: File | null): Promise<void> {
  if (file === null) return Promise.resolve();
  const reader = new FileReader();
  return new Promise((resolve) => {
    reader.addEventListener('loadend', () => {
      if (typeof reader.result === 'string') logoOf(preview).src = reader.result;
      resolve();
    });
    reader.readAsDataURL(file);
  });
}

/** A merchant without a logo has no picture yet. */
function logoOf(preview: HTMLElement): HTMLImageElement {
  const known = preview.querySelector<HTMLImageElement>('img[data-preview-of="logo"]');
  if (known) return known;
  const made = document.createElement('img');
  made.dataset.previewOf = 'logo';
  made.alt = '';
  preview.querySelector('.merchant')?.prepend(made);
  return made;
}
