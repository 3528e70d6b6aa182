/** The chains that the payout drill runs on, by name. */
import { BITCOIN, BITCOIN_CASH, LITECOIN } from '../utxo/utxo-nodes.ts';
import { openAnvilDrill } from './anvil-drill.ts';
import { openCoinDrill } from './coin-drill.ts';
import type { DrillChain } from './drill-chain.ts';
import { openSolanaDrill } from './solana-drill.ts';
import { openTonDrill } from './ton-drill.ts';
import { openTronDrill } from './tron-drill.ts';
import { openXrpDrill } from './xrp-drill.ts';

export const DRILL_CHAINS = {
  ethereum: openAnvilDrill,
  litecoin: openCoinDrill(LITECOIN),
  bitcoin: openCoinDrill(BITCOIN),
  bitcoincash: openCoinDrill(BITCOIN_CASH),
  tron: openTronDrill,
  solana: openSolanaDrill,
  ton: openTonDrill,
  xrp: openXrpDrill,
} as const satisfies Readonly<Record<string, () => Promise<DrillChain>>>;

export type DrillChainName = keyof typeof DRILL_CHAINS;
