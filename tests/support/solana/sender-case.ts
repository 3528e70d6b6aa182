/**
 * The test ledger as the suites of senders drive it: the hot wallet has money, and every question
 * goes through a proxy.
 */
import { EXPIRY_MARGIN } from '../../../src/adapters/chains/solana/send/lifetime.ts';
import type { SendingOrder, UnsignedTransaction } from '../../../src/ports/sending/chain-sender.ts';
import { startRpcProxy } from '../chains/rpc-proxy.ts';
import { behindPlan } from '../providers/behind-plan.ts';
import type { Plan } from '../providers/plans.ts';
import { openSolanaLab } from './lab.ts';
import { fundedWallet, NATIVE, senderOn, TOKEN } from './sending.ts';
import { bytesOfBase64 } from './wire.ts';

/** Blocks that make one final, its own included. */
export const FINAL_AFTER = 4;

export async function openSenderCase(plan: Plan | null = null) {
  const lab = openSolanaLab({ finalizedLag: FINAL_AFTER - 1 });
  const proxy = await startRpcProxy(lab.node.url);
  const wallet = fundedWallet(lab);
  const sender = senderOn(lab, [proxy.url], behindPlan(plan));
  const height = (): number => lab.ledger.tip('confirmed').height;
  return {
    lab,
    proxy,
    ours: wallet,
    sender,
    assets: [NATIVE, TOKEN],
    /** A little more than what a new account must have. */
    units: 1_000_000n,
    wallet: wallet.hot,
    poorWallet: wallet.deposit(0),
    freshAddress: () => lab.unusedAddress(),
    sign: (order: SendingOrder, unsigned: UnsignedTransaction) =>
      wallet.sign(order, unsigned, wallet.tokenOf(order.asset)),
    balanceOf: async (address: string, asset: string) => wallet.balanceOf(address, asset),
    /** Some slots pass without a block, as on the real network. */
    mine: async (count: number) => {
      lab.ledger.skip(count % 2);
      lab.ledger.mine(count);
    },
    finalAfter: FINAL_AFTER,
    settle: async () => lab.ledger.mine(FINAL_AFTER - 1),
    /** What is in the open slot never was. */
    drop: async () => lab.ledger.fork(0),
    /** The last block that could take it, and as many more as make it count as dead, are there. */
    pass: async (validUntil: bigint) =>
      lab.ledger.mine(Math.max(0, Number(validUntil) + EXPIRY_MARGIN + 1 - height())),
    reorg: async (depth: number) => lab.reorg(depth),
    /** Into the open slot, past the trial that nodes make first. */
    force: (raw: string) => lab.ledger.submit(bytesOfBase64(raw)),
    outage: async (on: boolean) => proxy.behave({ drop: on }),
    async close() {
      await sender.close();
      await proxy.stop();
      await lab.stop();
    },
  };
}

export type SolanaSenderCase = Awaited<ReturnType<typeof openSenderCase>>;
