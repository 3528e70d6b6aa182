/** The Signer port for fake chains. It has no keys, but it is as suspicious as one that has: the payload must say what the order says. */
import type { AddressDeriver } from '../../../ports/address-deriver.ts';
import { type Signer, type SigningOrder, SigningRefused, type WalletKey } from '../../../ports/signer.ts';
import { onlyPayment } from '../shared/only-payment.ts';
import { readPayload, signedForm } from './fake-sending.ts';

/** `derivers`: by chain name, for the chains it signs for. */
export function fakeSigner({ derivers }: { derivers: ReadonlyMap<string, AddressDeriver> }): Signer {
  const addressOf = async (chain: string, key: WalletKey): Promise<string | null> => {
    const deriver = derivers.get(chain);
    if (!deriver) return null;
    if (key.role === 'change') return null;
    const text =
      key.role === 'hot' ? deriver.hotWallet() : (await deriver.derive({ from: key.index, count: 1 }))[0];
    return deriver.normalize(text ?? '');
  };
  return {
    sign: async (order) => {
      if ((await addressOf(order.chain, order.key)) !== order.wallet)
        throw new SigningRefused(`no key of ${order.wallet} on ${order.chain}`);
      const difference = differenceOf(order);
      if (difference !== null) throw new SigningRefused(`the transaction has another ${difference}`);
      return signedForm(order.payload);
    },
    close: async () => undefined,
  };
}

/** What the payload says otherwise than the order; null when they agree. */
function differenceOf(order: SigningOrder): string | null {
  const sending = readPayload(order.payload);
  if (sending === null) return 'form';
  const { chain, wallet, sequence, voids } = order;
  // Which coin a transaction that voids moves nothing of does not matter.
  const { asset, to, units } = voids
    ? { asset: sending.asset, to: wallet, units: 0n }
    : { asset: order.asset, ...onlyPayment(order) };
  const expected = { chain, wallet, sequence, voids, asset, to, units };
  const [difference] = Object.entries(expected).find(
    ([name, value]) => sending[name as keyof typeof expected] !== value,
  ) ?? [null];
  return difference;
}
