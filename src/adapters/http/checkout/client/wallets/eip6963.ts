/** Wallets of EVM chains: found by EIP-6963, asked by EIP-1193. */
import { codeOf, type Order, Unpaid, unpaid, type Wallet } from './order.ts';

export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

interface Announced {
  readonly info: { readonly uuid: string; readonly name: string };
  readonly provider: Provider;
}

/** The first four bytes of the hash of `transfer(address,uint256)` (ERC-20). */
const TRANSFER = '0xa9059cbb';
/** EIP-3085: the wallet does not know the network. */
const UNKNOWN_CHAIN = 4902;

export function announcedWallets(add: (wallet: Wallet) => void, ended: AbortSignal): void {
  const seen = new Set<string>();
  const announced = (event: Event): void => {
    const { info, provider } = (event as CustomEvent<Announced>).detail;
    if (seen.has(info.uuid)) return;
    seen.add(info.uuid);
    add(announcedWallet(info.name, provider));
  };
  addEventListener('eip6963:announceProvider', announced, { signal: ended });
  dispatchEvent(new Event('eip6963:requestProvider'));
}

export function announcedWallet(name: string, provider: Provider): Wallet {
  return {
    name,
    async pay(order) {
      try {
        const accounts = await provider.request({ method: 'eth_requestAccounts' });
        const from: unknown = Array.isArray(accounts) ? accounts[0] : null;
        if (typeof from !== 'string') throw new Unpaid('rejected');
        await changeNetwork(provider, order.network);
        const params = [{ from, ...callOf(order) }];
        await provider.request({ method: 'eth_sendTransaction', params });
      } catch (error) {
        throw unpaid(error);
      }
    },
  };
}

/** A wallet that says it changed is asked again where it is. */
async function changeNetwork(provider: Provider, chainId: string): Promise<void> {
  const isThere = async () => sameId(await provider.request({ method: 'eth_chainId' }), chainId);
  if (await isThere()) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    throw codeOf(error) === UNKNOWN_CHAIN ? new Unpaid('network') : error;
  }
  if (!(await isThere())) throw new Unpaid('network');
}

function sameId(found: unknown, chainId: string): boolean {
  return (typeof found === 'string' || typeof found === 'number') && Number(found) === Number(chainId);
}

/** The coin, or the token's `transfer`. */
export function callOf({ to, units, contract }: Pick<Order, 'to' | 'units' | 'contract'>): {
  readonly to: string;
  readonly value: string;
  readonly data?: string;
} {
  if (contract === '') return { to, value: `0x${units.toString(16)}` };
  return {
    to: contract,
    value: '0x0',
    data: TRANSFER + word(to.slice(2).toLowerCase()) + word(units.toString(16)),
  };
}

function word(hex: string): string {
  return hex.padStart(64, '0');
}
