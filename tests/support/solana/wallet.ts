/**
 * A wallet of ours for tests: keys from words, and orders signed as the signer signs them, its
 * check included.
 */
import { Mnemonic } from 'ethers';
import { solanaSigning } from '../../../src/adapters/chains/solana/codec/sign.ts';
import { solanaKeys } from '../../../src/adapters/chains/solana/keys.ts';
import type { SendingOrder, UnsignedTransaction } from '../../../src/ports/sending/chain-sender.ts';
import type { SigningOrder, WalletKey } from '../../../src/ports/sending/signer.ts';

export const TEST_WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

export const seedOf = (words: string): Uint8Array =>
  Buffer.from(Mnemonic.fromPhrase(words).computeSeed().slice(2), 'hex');

export function testWallet(words: string = TEST_WORDS) {
  const keys = solanaKeys(seedOf(words));
  const signing = solanaSigning({ mnemonic: async () => words });
  const hot = keys.address({ role: 'hot' });
  const known = new Map<string, WalletKey>([[hot, { role: 'hot' }]]);

  function deposit(index: number): string {
    const address = keys.address({ role: 'deposit', index });
    known.set(address, { role: 'deposit', index });
    return address;
  }

  function orderFor(
    order: SendingOrder,
    { payload, validUntil }: Pick<UnsignedTransaction, 'payload' | 'validUntil'>,
  ): SigningOrder {
    const key = known.get(order.wallet);
    if (key === undefined) throw new Error(`${order.wallet} is no wallet of this test`);
    const payments = order.payments.map(({ to, units }, position) => ({
      transferId: `transfer-${order.nonce}-${position}`,
      referenceId: `payout-${order.nonce}-${position}`,
      to,
      toKey: known.get(to) ?? null,
      units,
    }));
    const purpose = key.role === 'hot' ? 'payout' : 'sweep';
    return {
      ...order,
      chain: 'solana',
      key,
      purpose,
      payments,
      inputs: [],
      payload,
      validUntil,
      replaces: null,
    };
  }

  return {
    keys,
    signing,
    hot,
    /** The deposit address of an index; orders from it can be signed afterwards. */
    deposit,
    orderFor,
    /** Refuses what the signer's family would refuse. */
    async sign(
      order: SendingOrder,
      unsigned: UnsignedTransaction,
      token: { mint: string; decimals: number } | null,
    ): Promise<{ raw: string; txid: string }> {
      const whole = orderFor(order, unsigned);
      const terms = { chainId: null, contract: token?.mint ?? null, decimals: token?.decimals ?? 9 };
      await signing.check(whole, terms);
      return signing.sign(whole);
    },
  };
}
