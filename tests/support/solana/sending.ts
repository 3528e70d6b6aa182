/**
 * A sender on the test ledger with a wallet that has money, and the listings of the ledger's mints.
 */
import { type SolanaSenderOptions, solanaSender } from '../../../src/adapters/chains/solana/send/sender.ts';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import type { SolanaLab } from './lab.ts';
import { testWallet } from './wallet.ts';

export const NATIVE = 'sol_solana';
export const TOKEN = 'usdc_solana';
/** Of the mint that keeps a share of each transfer. */
export const FEEFUL = 'usdt_solana';

export function listings({ mints }: SolanaLab) {
  return [
    { asset: TOKEN, contract: mints.usdc.mint, decimals: 6 },
    { asset: FEEFUL, contract: mints.feeful.mint, decimals: 6 },
  ];
}

export function senderOn(
  lab: SolanaLab,
  rpc: readonly string[] = [lab.node.url],
  changes: Partial<SolanaSenderOptions> = {},
): ChainSender {
  return solanaSender({
    chain: 'solana',
    network: 'test',
    rpc,
    nativeAsset: NATIVE,
    tokens: listings(lab),
    logger: recordingLogger(),
    timing: { coolDownMs: 1 },
    ...changes,
  });
}

/** The hot wallet with ten SOL and as many tokens, and whatever else the ledger's payer gives. */
export function fundedWallet(lab: SolanaLab) {
  const wallet = testWallet();
  const tokenOf = (asset: string) => (asset === TOKEN ? lab.mints.usdc : lab.mints.feeful);

  function fund(address: string, asset: string, units: bigint): void {
    if (asset === NATIVE) lab.payCoins({ to: address, units });
    else lab.payTokens({ to: address, units, token: tokenOf(asset) });
    lab.ledger.mine();
  }

  fund(wallet.hot, NATIVE, 10n ** 10n);
  fund(wallet.hot, TOKEN, 10n ** 10n);
  return {
    ...wallet,
    fund,
    tokenOf: (asset: string) => (asset === NATIVE ? null : tokenOf(asset)),
    balanceOf: (address: string, asset: string): bigint =>
      asset === NATIVE ? lab.lamportsOf(address) : lab.tokensOf(address, tokenOf(asset)),
  };
}
