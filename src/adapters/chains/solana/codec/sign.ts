/**
 * Solana keys and signatures (ed25519, RFC 8032: the same message gives the same bytes). A sweep
 * has two: that of the hot wallet, which pays the fee, and that of the deposit address. Libraries
 * are loaded at the first signature.
 */
import type { FamilySigning } from '../../../../ports/sending/family-signing.ts';
import { SigningRefused } from '../../../../ports/sending/signer.ts';
import { normalizeSolanaAddress } from '../address.ts';
import type { SolanaKeys } from '../keys.ts';

/** 150 blocks of 0.4 seconds, twice. On a slower chain the application decides by heights. */
const BLOCKHASH_LIVES_MS = 2 * 150 * 400;

export function solanaSigning({ mnemonic }: { mnemonic(): Promise<string> }): FamilySigning {
  let opened: Promise<SolanaKeys> | null = null;

  async function openKeys(): Promise<SolanaKeys> {
    const { Mnemonic } = await import('ethers');
    const { solanaKeys } = await import('../keys.ts');
    return solanaKeys(
      Buffer.from(
        Mnemonic.fromPhrase(await mnemonic())
          .computeSeed()
          .slice(2),
        'hex',
      ),
    );
  }

  function keys(): Promise<SolanaKeys> {
    opened ??= openKeys().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  return {
    normalize: normalizeSolanaAddress,
    addressOf: async (key) => (await keys()).address(key),

    async check(order, terms) {
      const { checkOrder } = await import('./check-order.ts');
      const checked = checkOrder(order, terms);
      if ('fault' in checked) throw new SigningRefused(checked.fault);
      return checked;
    },

    // The order has a height, which only a node can compare with the chain. This is its time at the
    // usual speed, twice.
    aliveUntil: (_, at) => new Date(at.getTime() + BLOCKHASH_LIVES_MS),

    async sign(order) {
      const { writeSigned } = await import('./transaction.ts');
      const { ed25519 } = await import('@noble/curves/ed25519.js');
      const { privateKey } = await keys();
      const signers = order.feePayer === null ? [order.key] : [{ role: 'hot' } as const, order.key];
      const message = Buffer.from(order.payload, 'base64');
      const signatures = signers.map((key) => ed25519.sign(message, privateKey(key)));
      return writeSigned(order.payload, signatures);
    },
  };
}
