/** The keys of a till write into its amount. */
export function keypad(): void {
  const pad = document.querySelector<HTMLElement>('[data-keypad]');
  const amount = document.querySelector<HTMLInputElement>('input[name="amount"]');
  if (!pad || !amount) return;
  pad.hidden = false;
  for (const key of pad.querySelectorAll('button'))
    key.addEventListener('click', () => {
      amount.value = key.value === '' ? '' : (amount.value + key.value).slice(0, amount.maxLength);
    });
}
