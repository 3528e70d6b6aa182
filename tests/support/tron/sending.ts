/**
 * A sender on the Tron test server with two funded tokens, and a hot wallet: the stage of the
 * sender's tests.
 */

import { addressHex } from '../../../src/adapters/chains/tron/address.ts';
import { tronSigning } from '../../../src/adapters/chains/tron/codec/sign.ts';
import { type TronSenderOptions, tronSender } from '../../../src/adapters/chains/tron/send/sender.ts';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import type { FamilySigning } from '../../../src/ports/sending/family-signing.ts';
import type { WalletKey } from '../../../src/ports/sending/signer.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { type Change, changed, sendingOrder } from '../utxo/lone-orders.ts';
import { openTronLab, type TronLab } from './lab.ts';
import { BLOCK_MS, TRX } from './parameters.ts';

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const HOT = { role: 'hot' } as const;
/** The other wallet: that of a deposit address. */
const DEPOSIT = { role: 'deposit', index: 7 } as const;
export const SOLID_BEHIND = 2;

export interface TronStage {
  readonly lab: TronLab;
  readonly signing: FamilySigning;
  /** 100,000 TRX, and a million whole ones of each token. */
  readonly wallet: string;
  readonly deposit: string;
  open(changes?: Partial<TronSenderOptions>): ChainSender;
  /** 12,345 base units of the coin to a fresh address. */
  orderOf(changes?: Change<SendingOrder>): SendingOrder;
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /** Prepared by `sender` and signed, ready for `broadcast` and `outcome`. */
  signed(
    sender: ChainSender,
    order: SendingOrder,
    after?: { raw: string },
  ): Promise<{ raw: string; txid: string; voids: boolean; maxFeeUnits: bigint; validUntil: bigint | null }>;
  balanceOf(address: string, asset: string): Promise<bigint>;
  /**
   * Goes on, by empty blocks, until no later block can take bytes of that limit; the last ones are
   * not solidified.
   */
  pass(validUntil: bigint): Promise<void>;
  stop(): Promise<void>;
}

export async function openTronStage(): Promise<TronStage> {
  const lab = await openTronLab({ solidBehind: SOLID_BEHIND });
  const { server, contracts } = lab;
  const signing = tronSigning({ mnemonic: async () => PHRASE });
  const [wallet, deposit] = [await signing.addressOf(HOT), await signing.addressOf(DEPOSIT)];
  const opened: ChainSender[] = [];
  const tokens = [
    { asset: 'usdt_tron', contract: contracts.usdt, decimals: 6 },
    { asset: 'usdc_tron', contract: contracts.usdc, decimals: 6 },
  ];
  await server.fund(addressHex(wallet)!, 100_000n * TRX);
  for (const token of ['usdt', 'usdc'] as const) await lab.payToken(token, wallet, 10n ** 12n);
  await lab.mine(SOLID_BEHIND + 1);

  const stage: TronStage = {
    lab,
    signing,
    wallet,
    deposit,
    open(changes = {}) {
      const sender = tronSender({
        chain: 'tron',
        network: 'main',
        rpc: [server.node.url],
        nativeAsset: 'trx_tron',
        tokens,
        confirmations: null,
        clock: { now: () => new Date(server.chain.tip().timeMs) },
        logger: silentLogger,
        timing: { coolDownMs: 1 },
        ...changes,
      });
      opened.push(sender);
      return sender;
    },
    orderOf: (changes = {}) =>
      changed(
        sendingOrder({
          wallet,
          nonce: 0n,
          asset: 'trx_tron',
          to: lab.freshAddress(),
          units: 12_345n,
          voids: false,
        }),
        changes,
      ),
    sign: (order, { payload, validUntil }) => {
      const key: WalletKey = order.wallet === wallet ? HOT : DEPOSIT;
      const ids = { transferId: 'transfer', referenceId: 'payout', toKey: null };
      const payments = order.payments.map((payment) => ({ ...payment, ...ids }));
      const asked = { chain: 'tron', key, purpose: 'payout', payload, validUntil, replaces: null } as const;
      return signing.sign({ ...order, ...asked, payments });
    },
    async signed(sender, order, after) {
      const unsigned = await sender.prepare(order, after ?? null);
      const { maxFeeUnits, validUntil } = unsigned;
      return { ...(await stage.sign(order, unsigned)), voids: order.voids, maxFeeUnits, validUntil };
    },
    balanceOf: (address, asset) => {
      const token = tokens.find((each) => each.asset === asset);
      return lab.balanceOf(address, token?.contract ?? null);
    },
    async pass(validUntil) {
      const left = Number(validUntil) - server.chain.tip().timeMs;
      if (left > BLOCK_MS) server.chain.pass(left - BLOCK_MS);
      await server.chain.mine(2, { empty: true });
    },
    async stop() {
      for (const sender of opened) await sender.close();
      await server.stop();
    },
  };
  return stage;
}
