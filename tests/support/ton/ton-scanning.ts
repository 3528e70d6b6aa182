/** A scanner on a TON laboratory, and what it finds of the newest block. */
import { type TonScannerOptions, tonScanner } from '../../../src/adapters/chains/ton/read/scanner.ts';
import type { ChainScanner, Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../src/ports/chains/watch-list.ts';
import { watching } from '../chains/watch-list.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import { NATIVE, type TonLab, USDT } from './ton-lab.ts';

export function labScanner(lab: TonLab, changes: Partial<TonScannerOptions> = {}): ChainScanner {
  const scanner = tonScanner({
    chain: 'ton',
    network: lab.network,
    rpc: [lab.server.url],
    publicKey: lab.publicKey,
    nativeAsset: NATIVE,
    jettons: [{ asset: USDT, contract: lab.jetton.minter.toString(), decimals: 6 }],
    confirmations: 1,
    logger: recordingLogger(),
    timing: { coolDownMs: 1 },
    ...changes,
  });
  return { ...scanner, blocks: (range, watch) => scanner.blocks(range, withIndexes(lab, watch)) };
}

/** As the application's watch list, which knows how many addresses were derived. */
const withIndexes = (lab: TonLab, watch: WatchList): WatchList => ({
  ...watch,
  reservedIndexes: async () => lab.indexesUsed + 10,
});

/** What the newest `count` blocks pay to `to`. */
export async function paidTo(
  scanner: ChainScanner,
  to: readonly string[],
  count = 1,
): Promise<readonly Transfer[]> {
  const { height } = (await scanner.head()).tip;
  const blocks = await scanner.blocks({ from: height - count + 1, to: height }, watching(to));
  return blocks.flatMap(({ transfers }) => transfers);
}
