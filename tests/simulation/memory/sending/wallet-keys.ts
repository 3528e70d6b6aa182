import type { WalletKeys } from '../../../../src/adapters/postgres/sending/wallet-keys.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function walletKeys(_store: MemoryStore): WalletKeys {
  return notYet('walletKeys');
}
