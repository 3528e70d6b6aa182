/** The Solana sender keeps the contract of senders whose transactions expire, on the test ledger. */
import { afterAll, beforeAll, describe } from 'bun:test';
import { associatedAccount } from '../../../src/adapters/chains/solana/programs.ts';
import { describeExpiringSender } from '../../contracts/expiring-sender.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { openSolanaLab, type SolanaLab } from '../../support/solana/lab.ts';
import { fundedWallet, NATIVE, senderOn, TOKEN } from '../../support/solana/sending.ts';
import { bytesOfBase64 } from '../../support/solana/wire.ts';

const FINAL_AFTER = 4;
/** Blocks that can take a transaction of the present blockhash. */
const LIFE = 150;

describe('on the test ledger', () => {
  let lab: SolanaLab;
  let proxy: RpcProxy;
  beforeAll(async () => {
    lab = openSolanaLab({ finalizedLag: FINAL_AFTER - 1 });
    proxy = await startRpcProxy(lab.node.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await lab.stop();
  });

  describeExpiringSender('solana', async () => {
    const wallet = fundedWallet(lab);
    const sender = senderOn(lab, [proxy.url]);
    return {
      sender,
      confirmations: FINAL_AFTER,
      token: TOKEN,
      wallet: wallet.hot,
      poorWallet: wallet.deposit(0),
      unpayable: associatedAccount(wallet.hot, lab.mints.usdc),
      freshAddress: () => freshOf(lab),
      sign: (order, unsigned) => wallet.sign(order, unsigned, wallet.tokenOf(order.asset)),
      fund: async (address, asset, units) => wallet.fund(address, asset, units),
      balanceOf: async (address, asset) =>
        wallet.balanceOf(address, asset) - (asset === NATIVE ? given(address) : 0n),
      lapse: async (until) => lab.ledger.mine(until === 'unusable' ? LIFE : FINAL_AFTER),
      force: async (raw) => lab.ledger.submit(bytesOfBase64(raw)),
      mine: async (count) => {
        lab.ledger.skip(count % 2);
        lab.ledger.mine(count);
      },
      reorg: async (depth) => lab.reorg(depth),
      outage: async (on) => proxy.behave({ drop: on }),
      close: () => sender.close(),
    };
  });
});

/** Addresses that were made to take the smallest payment, with what they hold for it. */
const prepared = new Map<string, bigint>();
const given = (address: string): bigint => prepared.get(address) ?? 0n;

function freshOf(lab: SolanaLab): string {
  const address = lab.freshAddress();
  prepared.set(address, lab.lamportsOf(address));
  return address;
}
