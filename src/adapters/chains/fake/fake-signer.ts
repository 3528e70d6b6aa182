/**
 * The Signer port for fake chains. It has no keys, but it is as suspicious as one that has: the
 * payload must say what the order says.
 */
import { UTXO_FAMILIES, type UtxoFamily } from '../../../domain/catalog/family.ts';
import {
  coldAddressOf,
  type SigningPolicy,
  UNLIMITED_SIGNING,
} from '../../../domain/sending/signing-policy.ts';
import type { AddressDeriver } from '../../../ports/chains/address-deriver.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import {
  type ColdAsset,
  type Signer,
  type SigningOrder,
  SigningRefused,
  type WalletKey,
} from '../../../ports/sending/signer.ts';
import { onlyPayment } from '../shared/send/only-payment.ts';
import { utxoNetwork } from '../utxo/network.ts';
import { readPayload, signedForm } from './fake-sending.ts';
import { signUtxos } from './fake-utxo-signing.ts';

/**
 * `derivers`: by chain name, for the chains it signs for. `change`: of those that have coins, where
 * their change goes. `policy`: of it only the cold addresses count.
 */
export function fakeSigner({
  derivers,
  change = new Map(),
  policy = async () => UNLIMITED_SIGNING,
}: {
  derivers: ReadonlyMap<string, AddressDeriver>;
  change?: ReadonlyMap<UtxoFamily, ChangeAddresses>;
  policy?: () => Promise<Pick<SigningPolicy, 'coldAddresses'>>;
}): Signer {
  const coinsOf = (chain: string): UtxoFamily | undefined =>
    UTXO_FAMILIES.find((family) => family === derivers.get(chain)?.family);

  async function addressOf(chain: string, key: WalletKey): Promise<string | null> {
    const deriver = derivers.get(chain);
    const text = deriver && (await textOf(deriver, chain, key));
    return deriver && text ? deriver.normalize(text) : null;
  }

  async function textOf(deriver: AddressDeriver, chain: string, key: WalletKey): Promise<string | null> {
    if (key.role === 'hot') return deriver.hotWallet();
    if (key.role === 'deposit') return (await deriver.derive({ from: key.index, count: 1 }))[0] ?? null;
    const family = coinsOf(chain);
    return (family && change.get(family)?.changeAddress(key.index)) ?? null;
  }

  async function coldAddress(of: ColdAsset): Promise<string | null> {
    const current = await policy().catch((error: Error) => {
      throw new SigningRefused(`the policy cannot be used: ${error.message}`, { lasting: false });
    });
    return coldAddressOf(current, of);
  }

  return {
    sign: async (order) => {
      if ((await addressOf(order.chain, order.key)) !== order.wallet)
        throw new SigningRefused(`no key of ${order.wallet} on ${order.chain}`);
      if (order.purpose === 'forward' && !order.voids)
        checkCold(order, await coldAddress(order), derivers.get(order.chain));
      const family = coinsOf(order.chain);
      if (family !== undefined)
        return signUtxos(utxoNetwork(family, 'main'), order, (key) => addressOf(order.chain, key));
      const difference = differenceOf(order);
      if (difference !== null) throw new SigningRefused(`the transaction has another ${difference}`);
      return signedForm(order.payload);
    },
    // fake families derive their addresses from nothing secret: none of them needs a pool
    addresses: async ({ family }) => {
      throw new SigningRefused(`there are no keys of the family ${family}`);
    },
    coldAddress,
    close: async () => undefined,
  };
}

function checkCold({ payments, asset }: SigningOrder, cold: string | null, deriver?: AddressDeriver): void {
  if (cold === null) throw new SigningRefused(`the policy names no cold address of ${asset}`);
  if (payments.some(({ to }) => deriver?.normalize(to) !== deriver?.normalize(cold)))
    throw new SigningRefused("a forward goes to the policy's cold address only");
}

/** What the payload says otherwise than the order; null when they agree. */
function differenceOf(order: SigningOrder): string | null {
  const sending = readPayload(order.payload);
  if (sending === null) return 'form';
  const { chain, wallet, nonce, voids } = order;
  // Which coin a transaction that voids moves nothing of does not matter.
  const { asset, to, units } = voids
    ? { asset: sending.asset, to: wallet, units: 0n }
    : { asset: order.asset, ...onlyPayment(order) };
  const { validUntil, feePayer } = { ...order, feePayer: order.feePayer ?? wallet };
  const expected = { chain, wallet, feePayer, nonce, voids, asset, to, units, validUntil };
  const [difference] = Object.entries(expected).find(
    ([name, value]) => sending[name as keyof typeof expected] !== value,
  ) ?? [null];
  return difference;
}
