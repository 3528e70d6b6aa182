/**
 * A process of its own that composes the chains of CONFIG and prints how many modules of Solana's
 * library that loaded.
 */

import { openKeystore } from '../../../src/adapters/signer/keystore.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { composeChains } from '../../../src/compose/chains/chains.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { ANY_CHAIN } from '../chains/any-chain.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { TEST_MASTER_KEY, testConfig } from '../test-service.ts';

const { CONFIG = '{}', DATA_DIR = '' } = process.env;
const config = testConfig({ DATA_DIR, DATABASE_URL: 'postgres://localhost/none' }, JSON.parse(CONFIG));
const masterKey = Buffer.from(TEST_MASTER_KEY, 'hex');
const keystore = await openKeystore({ directory: DATA_DIR, masterKey, createIfMissing: true });
const chains = await composeChains(config, {
  catalog: new AssetCatalog(),
  clock: systemClock,
  logger: silentLogger,
  keys: keystore.publicKeys(),
  identities: ANY_CHAIN,
  addressPool: () => ({ read: async () => [] }),
});
console.log(Object.keys(require.cache).filter((path) => path.includes('@solana/web3.js')).length);
await chains.close();
