/** A fake UTXO chain with a wallet of ours on it, and the steps by which money leaves it. */
import { expect } from 'bun:test';
import { fakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { fakeSigner } from '../../../src/adapters/chains/fake/fake-signer.ts';
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import type { SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import type { CoinSenderCase } from '../../contracts/sending/utxo-sender-steps.ts';

const clock = { now: () => new Date(1_700_000_000_000) };
const CONFIRMATIONS = 3;
/** Above every deposit address that a test funds. */
const FIRST_STRANGER = 1_000_000;

/** The UTXOs' keys in the catalog. */
export const COINS = {
  bitcoin: 'btc_bitcoin',
  litecoin: 'ltc_litecoin',
  bitcoincash: 'bch_bitcoincash',
} as const;
/** What an order of the stage pays. */
export const PAID_UNITS = 200_000n;
const SEQUENCE = 4n;

type FakeCoinStage = ReturnType<typeof stageFakeCoins>;

export function stageFakeCoins(family: UtxoFamily) {
  const asset = COINS[family];
  const chain = fakeChain({
    chain: family,
    family,
    assets: [{ asset, decimals: 8 }],
    clock,
    confirmations: CONFIRMATIONS,
  });
  const { control, sender } = chain;
  const deriver = fakeDeriver({ family });
  const signer = fakeSigner({ derivers: new Map([[family, deriver]]), change: new Map([[family, deriver]]) });
  const addressAt = (index: number): string => deriver.derive({ from: index, count: 1 })[0]!;
  let derived = 0;
  let strangers = 0;
  const hot = deriver.hotWallet() ?? '';
  control.mine(10);

  const freshAddress = (): string => addressAt(FIRST_STRANGER + strangers++);

  /** Coins of ours at deposit addresses of their own, in a block. */
  function fund(units: readonly bigint[]): readonly Utxo[] {
    const utxos = units.map((each, vout) => {
      const index = derived++;
      return { vout, address: addressAt(index), key: { role: 'deposit', index } as const, units: each };
    });
    const { txid } = control.payMany(
      utxos.map(({ address: to, units: each }) => ({ to, asset, units: each })),
    );
    control.mine();
    return utxos.map((coin) => ({ txid, ...coin }));
  }

  /**
   * A payment of `PAID_UNITS` to a fresh address from a coin that leaves change, with the nonce
   * `SEQUENCE`.
   */
  function orderOf(changes: Partial<SendingOrder> = {}): SendingOrder {
    return {
      wallet: hot,
      nonce: SEQUENCE,
      asset,
      payments: [{ to: freshAddress(), units: PAID_UNITS }],
      inputs: changes.inputs ?? fund([1_000_000n]),
      voids: false,
      feePayer: null,
      ...changes,
    };
  }

  function signingOrder(order: SendingOrder, payload: string): SigningOrder {
    const payments = order.payments.map((payment, index) => ({
      ...payment,
      transferId: `transfer-${index}`,
      referenceId: `payout-${index}`,
      toKey: null,
    }));
    return {
      ...order,
      chain: family,
      key: { role: 'hot' },
      purpose: 'payout',
      payments,
      payload,
      validUntil: null,
      replaces: null,
    };
  }

  async function signed(order: SendingOrder, replaces: { raw: string } | null = null) {
    const { payload } = await sender.prepare(order, replaces);
    return { ...(await signer.sign(signingOrder(order, payload))), voids: false };
  }

  async function sent(order: SendingOrder) {
    const transaction = await signed(order);
    expect(await sender.broadcast(transaction.raw)).toEqual({ kind: 'accepted' });
    return transaction;
  }

  /** Of a transaction of `SEQUENCE`. */
  function changeOf({ raw, txid }: { raw: string; txid: string }): Utxo {
    return { txid, ...sender.utxos!.changeOf({ raw, nonce: SEQUENCE })! };
  }

  const received = (address: string): bigint =>
    control.received(address).reduce((sum, { units }) => sum + units, 0n);

  const steps = { freshAddress, fund, orderOf, signingOrder, signed, sent, changeOf, received };
  return { ...chain, ...steps, signer, deriver, asset, hot };
}

export function fakeCoinCase(stage: FakeCoinStage): CoinSenderCase {
  const { sender, control, signer, hot, freshAddress, fund, signingOrder, received } = stage;
  return {
    sender,
    confirmations: CONFIRMATIONS,
    relaysDust: false,
    wallet: hot,
    freshAddress,
    fund: async (units) => fund(units),
    sign: (order, { payload }) => signer.sign(signingOrder(order, payload)),
    received: async (address) => received(address),
    mine: async (count) => control.mine(count),
    mineOnly: (raws) => control.mineOnly(raws),
    reorg: async (depth) => control.reorg(depth),
    waiting: async () => control.waiting(),
    outage: async (on) => control.fail(on),
    close: () => sender.close(),
  };
}
