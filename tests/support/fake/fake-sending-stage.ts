/** A fake chain with wallets of ours on it, and the steps by which money leaves them. */
import { expect } from 'bun:test';
import { fakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { fakeSigner } from '../../../src/adapters/chains/fake/fake-signer.ts';
import type { SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import type { SigningOrder, WalletKey } from '../../../src/ports/sending/signer.ts';
import { type Change, changed, paymentOf, sendingOrder } from '../utxo/lone-orders.ts';

const clock = { now: () => new Date(1_700_000_000_000) };
const COIN = 10n ** 18n;
export const ETH = 'eth_ethereum';
export const USDT = 'usdt_ethereum';
export const DEPOSIT_KEY: WalletKey = { role: 'deposit', index: 7 };

/** A chain with a funded hot wallet, a deposit address of ours, and whoever else comes along. */
export function stageFakeSending() {
  const chain = fakeChain({
    chain: 'ethereum',
    family: 'evm',
    assets: [
      { asset: ETH, decimals: 18 },
      { asset: USDT, decimals: 6 },
      { asset: 'dai_ethereum', decimals: 18 },
    ],
    clock,
    confirmations: 3,
  });
  const deriver = fakeDeriver({ family: 'evm' });
  const signer = fakeSigner({ derivers: new Map([['ethereum', deriver]]) });
  const addressAt = (index: number): string =>
    deriver.normalize(deriver.derive({ from: index, count: 1 })[0]!)!;
  const hot = deriver.normalize(deriver.hotWallet()!)!;
  const deposit = addressAt(7);
  let addressesUsed = 1000;
  for (const asset of [ETH, USDT, 'dai_ethereum']) chain.control.fund(hot, asset, 10n * COIN);
  chain.control.mine(10);

  const signingOrder = (order: SendingOrder, payload: string): SigningOrder => ({
    ...order,
    payments: [{ ...paymentOf(order), transferId: 'transfer', referenceId: 'payout', toKey: null }],
    inputs: [],
    chain: 'ethereum',
    key: order.wallet === hot ? { role: 'hot' } : DEPOSIT_KEY,
    purpose: 'payout',
    validUntil: null,
    replaces: null,
    payload,
  });
  const freshAddress = (): string => addressAt(addressesUsed++);
  const orderOf = async (changes: Change<SendingOrder> = {}): Promise<SendingOrder> => {
    const order = sendingOrder({
      wallet: hot,
      nonce: await chain.sender.nextNonce(changes.wallet ?? hot),
      asset: ETH,
      to: freshAddress(),
      units: 5_000n,
      voids: false,
    });
    return changed(order, changes);
  };
  const signed = async (order: SendingOrder) => {
    const { payload } = await chain.sender.prepare(order, null);
    return signer.sign(signingOrder(order, payload));
  };
  const sent = async (order: SendingOrder): Promise<string> => {
    const { raw, txid } = await signed(order);
    expect(await chain.sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    return txid;
  };
  return { ...chain, signer, deriver, hot, deposit, freshAddress, signingOrder, orderOf, signed, sent };
}
