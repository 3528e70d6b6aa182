/**
 * Wallets of a browser, as their pages meet them: each announces itself as its standard says, and
 * answers what the test's function answers. They run in the page; the test's function does not.
 */
import type { Page } from 'playwright-core';

type Answer = (method: string, params: readonly unknown[]) => unknown;

/** An error of the wallet, with the number that EIP-1193 gives it. */
export class WalletError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`wallet error ${code}`);
    this.code = code;
  }
}

let wallets = 0;

/** Lets the page call `answer`; returns the name of the function in the page. */
async function exposed(page: Page, answer: Answer): Promise<string> {
  wallets += 1;
  const name = `mockWallet${wallets}`;
  await page.exposeFunction(name, async (method: string, params: readonly unknown[]) => {
    try {
      return { value: (await answer(method, params)) ?? null };
    } catch (error) {
      return { code: error instanceof WalletError ? error.code : -32_603, message: String(error) };
    }
  });
  return `async (method, params = []) => {
    const { value, code, message } = await window.${name}(method, params);
    if (code !== undefined) throw Object.assign(new Error(message), { code });
    return value;
  }`;
}

/** EIP-6963: announces itself at once and whenever it is asked to. */
export async function mockEvmWallet(page: Page, name: string, answer: Answer): Promise<void> {
  const call = await exposed(page, answer);
  await page.addInitScript(`(() => {
    const call = ${call};
    const info = { uuid: '${crypto.randomUUID()}', name: ${JSON.stringify(name)}, icon: 'data:,', rdns: 'test.wallet' };
    const provider = { request: ({ method, params }) => call(method, params) };
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
    addEventListener('eip6963:requestProvider', announce);
    announce();
  })()`);
}

/** The object of TronLink. */
export async function mockTronLink(page: Page, answer: Answer): Promise<void> {
  const call = await exposed(page, answer);
  await page.addInitScript(`(() => {
    const call = ${call};
    const asked = (name) => (...given) => call(name, given);
    window.tronLink = {
      request: ({ method }) => call(method),
      tronWeb: {
        defaultAddress: { base58: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
        trx: { getBlock: asked('getBlock'), sign: asked('sign'), sendRawTransaction: asked('sendRawTransaction') },
        transactionBuilder: { sendTrx: asked('sendTrx'), triggerSmartContract: asked('triggerSmartContract') },
      },
    };
  })()`);
}

/** The Wallet Standard: registers itself whichever of page and wallet comes first. */
export async function mockStandardWallet(
  page: Page,
  { name, address, chain }: { readonly name: string; readonly address: string; readonly chain: string },
  answer: Answer,
): Promise<void> {
  const call = await exposed(page, answer);
  await page.addInitScript(`(() => {
    const call = ${call};
    const account = { address: ${JSON.stringify(address)}, chains: [${JSON.stringify(chain)}] };
    const wallet = {
      version: '1.0.0', name: ${JSON.stringify(name)}, icon: 'data:,', chains: [${JSON.stringify(chain)}], accounts: [],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => (await call('connect'), { accounts: [account] }) },
        'solana:signAndSendTransaction': {
          version: '1.0.0',
          signAndSendTransaction: ({ transaction, chain }) => call('send', [btoa(String.fromCharCode(...transaction)), chain]),
        },
      },
    };
    const register = (api) => api.register(wallet);
    addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  })()`);
}
