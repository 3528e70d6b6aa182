/**
 * The families of chains. A new one is its folder, its row in domain/catalog/family.ts and its line
 * here: not in compose, since the fake chains go by this list, too.
 */
import type { Family } from '../../domain/catalog/family.ts';
import { evm } from './evm/family.ts';
import { monero } from './monero/family.ts';
import type { ChainFamilyModule } from './shared/family.ts';
import { solana } from './solana/family.ts';
import { ton } from './ton/family.ts';
import { tron } from './tron/family.ts';
import { utxo } from './utxo/family.ts';
import { xrp } from './xrp/family.ts';

export const CHAIN_FAMILIES: Readonly<Record<Family, ChainFamilyModule>> = {
  evm,
  bitcoin: utxo('bitcoin'),
  litecoin: utxo('litecoin'),
  bitcoincash: utxo('bitcoincash'),
  tron,
  solana,
  xrp,
  ton,
  monero,
};
