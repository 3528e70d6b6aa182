/** Coins that are right in every detail, for tests to change what they are about. */
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { anId } from '../builders.ts';

/** A transaction id as UTXO chains write it: 64 hex digits. */
export function aTxid(): string {
  return anId().padStart(64, '0');
}

/** A coin of 50,000 base units at a deposit address. */
export function aUtxo(given: Partial<Utxo> = {}): Utxo {
  return {
    txid: aTxid(),
    vout: 0,
    address: `bcrt1q${anId()}`,
    key: { role: 'deposit', index: 7 },
    units: 50_000n,
    ...given,
  };
}
