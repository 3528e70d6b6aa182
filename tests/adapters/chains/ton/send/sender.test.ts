/**
 * The TON sender keeps the contract of senders whose transactions expire, on real transactions of a
 * chain in memory.
 */
import { describeExpiringSender } from '../../../../contracts/sending/expiring-sender.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { TONCENTER_FREE } from '../../../../support/providers/plans.ts';
import { NATIVE, USDT } from '../../../../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab } from '../../../../support/ton/ton-sending.ts';

/** A shard's block may come later than a masterchain block that is younger than it. */
const MARGIN_SECONDS = 60;

const CONFIRMATIONS = 2;

describeExpiringSender(
  `ton, behind ${TONCENTER_FREE.name}`,
  async () => {
    const on = await openSendingLab();
    const { lab } = on;
    await fundHotWallet(on);
    const sender = on.sender({ confirmations: CONFIRMATIONS, ...behindPlan(TONCENTER_FREE) });
    return {
      sender,
      assets: [NATIVE, USDT],
      units: 10_000n,
      wallet: lab.hotWallet,
      poorWallet: lab.freshAddress(),
      freshAddress: () => lab.freshAddress(),
      sign: (order, unsigned) => on.sign(order, unsigned),
      balanceOf: async (address, asset) =>
        asset === NATIVE ? lab.balanceOf(address) : lab.jettonsOf(address),
      mine: (count) => lab.mine(count),
      finalAfter: CONFIRMATIONS,
      settle: async () => {
        await lab.chain.settle();
        lab.chain.wait(MARGIN_SECONDS);
        await lab.mine(CONFIRMATIONS);
      },
      drop: async () => lab.chain.dropExternals(),
      pass: async (validUntil) => {
        lab.chain.dropExternals();
        const left = Number(validUntil) - lab.chain.tip.time;
        if (left > 0) lab.chain.wait(left);
        await lab.mine(1);
      },
      outage: async (on_) => lab.server.behave({ drop: on_ }),
      close: async () => {
        await sender.close();
        await lab.close();
      },
    };
  },
  { counted: true },
);
