/** Wallets of the Wallet Standard (Solana): Phantom, Solflare, Backpack and others. */
import { type Order, Unpaid, unpaid, type Wallet } from './order.ts';

interface Account {
  readonly address: string;
  readonly chains: readonly string[];
}

interface SendFeature {
  signAndSendTransaction(input: {
    readonly account: Account;
    readonly chain: string;
    readonly transaction: Uint8Array;
  }): Promise<unknown>;
}

export interface StandardWallet {
  readonly name: string;
  readonly chains: readonly string[];
  readonly features: {
    readonly 'standard:connect'?: { connect(): Promise<{ readonly accounts: readonly Account[] }> };
    readonly 'solana:signAndSendTransaction'?: SendFeature;
  };
}

type Register = (...wallets: readonly StandardWallet[]) => () => void;

/** What wallets call the networks. */
const CHAINS: Readonly<Record<string, string>> = {
  main: 'solana:mainnet',
  test: 'solana:devnet',
  regtest: 'solana:localnet',
};

export function standardWallets(add: (wallet: Wallet) => void, ended: AbortSignal): void {
  const seen = new Set<StandardWallet>();
  const register: Register = (...wallets) => {
    for (const wallet of wallets) {
      if (seen.has(wallet) || wallet.features['solana:signAndSendTransaction'] === undefined) continue;
      seen.add(wallet);
      add(standardWallet(wallet));
    }
    return () => undefined;
  };
  const registers = (event: Event): void =>
    (event as CustomEvent<(api: { register: Register }) => void>).detail({ register });
  addEventListener('wallet-standard:register-wallet', registers, { signal: ended });
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
}

export function standardWallet({ name, chains, features }: StandardWallet): Wallet {
  return {
    name,
    async pay(order) {
      try {
        const chain = CHAINS[order.network] ?? '';
        if (!chains.includes(chain)) throw new Unpaid('network');
        const account = (await features['standard:connect']?.connect())?.accounts[0];
        const sending = features['solana:signAndSendTransaction'];
        if (account === undefined || sending === undefined) throw new Unpaid('rejected');
        if (!account.chains.includes(chain)) throw new Unpaid('network');
        const transaction = await unsignedFor(order, account.address);
        await sending.signAndSendTransaction({ account, chain, transaction });
      } catch (error) {
        throw unpaid(error);
      }
    },
  };
}

async function unsignedFor(order: Order, from: string): Promise<Uint8Array> {
  try {
    return await order.unsigned(from);
  } catch {
    throw new Unpaid('failed');
  }
}
