/**
 * Keys of the gateway's EVM wallets from a phrase, and signatures of unsigned payloads: a signer
 * without rules, for tests.
 */
import { HDNodeWallet, Transaction } from 'ethers';
import type { WalletKey } from '../../../src/ports/sending/signer.ts';

export interface EvmKeys {
  /** Lower-case address of the hot wallet, or of the deposit address of an index. */
  address(key: WalletKey): string;
  sign(key: WalletKey, payload: string): { raw: string; txid: string };
}

/**
 * Hot wallet m/44'/60'/0'/1/0, deposit addresses m/44'/60'/0'/0/<index>, as AddressDeriver has
 * them.
 */
export function evmKeys(phrase: string): EvmKeys {
  const account = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'");
  const walletOf = (key: WalletKey): HDNodeWallet =>
    key.role === 'hot' ? account.derivePath('1/0') : account.derivePath(`0/${key.index}`);
  return {
    address: (key) => walletOf(key).address.toLowerCase(),
    sign: (key, payload) => {
      const transaction = Transaction.from(payload);
      transaction.signature = walletOf(key).signingKey.sign(transaction.unsignedHash);
      return { raw: transaction.serialized, txid: transaction.hash! };
    },
  };
}
