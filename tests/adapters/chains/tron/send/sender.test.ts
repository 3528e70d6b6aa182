/** The Tron sender under the suite of senders whose transactions expire. */
import { addressHex } from '../../../../../src/adapters/chains/tron/address.ts';
import { describeExpiringSender } from '../../../../contracts/sending/expiring-sender.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { TRONGRID } from '../../../../support/providers/plans.ts';
import { TRX } from '../../../../support/tron/parameters.ts';
import { openTronStage, SOLID_BEHIND } from '../../../../support/tron/sending.ts';

describeExpiringSender(
  `tron, behind ${TRONGRID.name}`,
  async () => {
    const stage = await openTronStage();
    const { lab, wallet, deposit } = stage;
    const { chain, node } = lab.server;
    const [lender, borrower] = [addressHex(lab.freshAddress())!, addressHex(wallet)!];
    const lent = 100_000n * TRX;
    await lab.server.fund(lender, lent);
    await lab.server.stake(lender, lent);
    return {
      // A key that went over its limit is suspended for longer than a payout waits: its limit has
      // to be configured.
      sender: stage.open({ ...behindPlan(TRONGRID), rpc: [{ url: node.url, maxRps: TRONGRID.perSecond }] }),
      assets: ['trx_tron', 'usdt_tron', 'usdc_tron'],
      units: 12_345n,
      wallet,
      poorWallet: deposit,
      freshAddress: () => lab.freshAddress(),
      sign: stage.sign,
      balanceOf: stage.balanceOf,
      mine: (count) => chain.mine(count),
      finalAfter: SOLID_BEHIND + 1,
      settle: () => chain.mine(SOLID_BEHIND),
      drop: async () => chain.drop(),
      pass: stage.pass,
      outage: async (on) => node.behave({ drop: on }),
      delegate: async (on) => {
        const { accounts } = chain.world;
        if (!on) return accounts.takeBack(lender, borrower, lent, chain.tip().timeMs);
        accounts.lend(lender, borrower, lent);
        // The free bytes of a new day.
        chain.pass(86_400_000);
        await chain.mine(SOLID_BEHIND + 1);
      },
      close: stage.stop,
    };
  },
  { counted: false },
);
