/**
 * Sources of a UTXO chain for tests: a scanner or a single backend on given URLs, logging into a
 * list.
 */
import type { UtxoBackend } from '../../../src/adapters/chains/utxo/backend.ts';
import { backendPool, type UtxoOptions } from '../../../src/adapters/chains/utxo/backends.ts';
import { utxoScanner } from '../../../src/adapters/chains/utxo/read/scanner.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import type { RegtestNode } from '../nodes/regtest.ts';

type Source = UtxoOptions['source'];

function optionsOf(node: RegtestNode, source: Source, logger: Logger): UtxoOptions {
  return {
    chain: node.family,
    network: node.network,
    source,
    logger,
    timing: { coolDownMs: 60_000, quietMs: 0, restMs: 0 },
  };
}

export function scannerOn(
  node: RegtestNode,
  source: Source,
  logger: Logger = recordingLogger(),
): ChainScanner {
  return utxoScanner({ ...optionsOf(node, source, logger), asset: `coin_${node.family}`, confirmations: 2 });
}

/** Runs `work` on the one backend that `source` names. */
export function onBackend<T>(
  node: RegtestNode,
  source: Source,
  work: (backend: UtxoBackend) => Promise<T>,
): Promise<T> {
  const pool = backendPool(optionsOf(node, source, recordingLogger()));
  return pool.use(work).finally(() => pool.close());
}
