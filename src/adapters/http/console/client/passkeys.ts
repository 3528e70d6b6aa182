/**
 * Passkeys: a button that has the browser make or use one, and sends its answer with the form
 * around it.
 */

/** The button has `data-passkey`, `create` or `get`, and `data-options`, where the options are. */
export function passkeys(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]')) {
    if (!('PublicKeyCredential' in window) || button.dataset.ready) continue;
    button.dataset.ready = 'yes';
    button.hidden = false;
    button.addEventListener('click', (event) => {
      event.preventDefault();
      void run(button);
    });
  }
}

async function run(button: HTMLButtonElement): Promise<void> {
  const { form } = button;
  if (!form) return;
  const says = form.querySelector('[data-passkey-says]');
  try {
    const response = await fetch(button.dataset.options ?? '', {
      method: 'POST',
      body: new URLSearchParams({
        code: (form.elements.namedItem('code') as HTMLInputElement | null)?.value ?? '',
      }),
    });
    if (!response.ok) throw new Error('no options');
    const { options, ceremony } = (await response.json()) as { options: object; ceremony?: string };
    const credential = await asked(button.dataset.passkey ?? '', options);
    put(form, 'answer', JSON.stringify(credential));
    if (ceremony !== undefined) put(form, 'ceremony', ceremony);
    form.requestSubmit();
  } catch {
    if (says) says.textContent = 'The passkey was not used. Try again, or use another way.';
  }
}

async function asked(kind: string, options: object): Promise<unknown> {
  const made =
    kind === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            options as PublicKeyCredentialCreationOptionsJSON,
          ),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
            options as PublicKeyCredentialRequestOptionsJSON,
          ),
        });
  return (made as PublicKeyCredential).toJSON();
}

function put(form: HTMLFormElement, name: string, value: string): void {
  const input = form.elements.namedItem(name) as HTMLInputElement | null;
  if (input) input.value = value;
}
