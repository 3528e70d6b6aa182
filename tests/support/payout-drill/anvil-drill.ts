/** The payout drill on ethereum: coins and tokens on anvil. */
import { storedTransaction } from '../../../src/adapters/chains/evm/send/transaction.ts';
import type { Anvil } from '../evm/anvil.ts';
import { openEvmLab } from '../evm/evm-lab.ts';
import type { DrillChain, DrillNode, Owed } from './drill-chain.ts';

const ETH = 'eth_ethereum';
const USDT = 'usdt_ethereum';
/** A transaction without a block for this long is replaced. */
const STUCK_MS = 4_000;

export function anvilNode({ url }: Pick<Anvil, 'url'>): DrillNode {
  return {
    url,
    broadcastMethod: 'eth_sendRawTransaction',
    txidOf: async (raw) => storedTransaction(raw).txid,
  };
}

export interface AnvilDrill extends DrillChain {
  readonly anvil: Anvil;
  /** Into the mempool. */
  pay(payment: Owed): Promise<void>;
}

export async function openAnvilDrill(): Promise<AnvilDrill> {
  const lab = await openEvmLab();
  const { anvil, contracts } = lab;
  const transfer = (to: string, units: bigint): Promise<string> =>
    lab.send({ to: contracts.tether, data: lab.call('TetherLikeToken', 'transfer', [to, units]) });

  async function balanceOf({ address, asset }: Owed): Promise<bigint> {
    if (asset === ETH) return BigInt(await anvil.rpc<string>('eth_getBalance', [address, 'latest']));
    const data = lab.call('TetherLikeToken', 'balanceOf', [address]);
    return BigInt(await anvil.rpc<string>('eth_call', [{ to: contracts.tether, data }, 'latest']));
  }

  return {
    anvil,
    name: 'ethereum',
    node: anvilNode(anvil),
    assets: [ETH, USDT],
    invoice: { asset: USDT, usd: 1_000_000 },
    configuration: ({ rpc, confirmations }) => ({
      chains: {
        ethereum: {
          rpc: [rpc],
          chain_id: anvil.chainId,
          confirmations,
          poll_ms: 10,
          stuck_ms: STUCK_MS,
        },
      },
      assets: { [USDT]: { contract: contracts.tether } },
      rates: { source: 'static', usd: { [USDT]: '1', [ETH]: '2000' } },
    }),
    async pay({ address, asset, units }) {
      await (asset === ETH ? lab.send({ to: address, value: units }) : transfer(address, units));
    },
    async endow({ invoice, hotWallet }) {
      await transfer(invoice.to, invoice.units);
      await transfer(hotWallet, 10n ** 12n);
      await lab.send({ to: hotWallet, value: 1_000n * 10n ** 18n });
    },
    payouts: (count, random) =>
      Array.from({ length: count }, (_, index) => {
        const address = lab.freshAddress();
        return index % 3 === 0
          ? { address, asset: ETH, units: BigInt(1 + random.int(1_000)) * 10n ** 13n }
          : { address, asset: USDT, units: BigInt(1 + random.int(5_000_000)) };
      }),
    nextBlock: () => anvil.mine(1),
    mine: (count) => anvil.mine(count),
    received: async (owed) => {
      const units: bigint[] = [];
      for (const one of owed) units.push(await balanceOf(one));
      return units;
    },
    // nonces keep it right: what recipients have tells all
    differences: async () => [],
    stop: () => anvil.stop(),
  };
}
