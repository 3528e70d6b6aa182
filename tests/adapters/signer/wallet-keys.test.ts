/**
 * Which families a process derives addresses of: those whose public keys its keystore has, on the
 * configured networks.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WalletKeys } from '../../../src/adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints } from '../../../src/adapters/signer/key-fingerprints.ts';
import { publicKeysOf, readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import { LATER_FAMILIES } from '../../../src/adapters/signer/keystore-file.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { composeChains } from '../../../src/compose/chains/chains.ts';
import { openWallet } from '../../../src/compose/wallet/open-wallet.ts';
import { walletDerivers } from '../../../src/compose/wallet/wallet.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { type Family, UTXO_FAMILIES } from '../../../src/domain/catalog/family.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { ANY_CHAIN } from '../../support/chains/any-chain.ts';
import { loaded } from '../../support/configurations.ts';
import { EVM_ONLY, masterKey, words } from '../../support/evm/evm-only-keystore.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  folder = await temporaryDirectory();
  await writeFile(join(folder.path, 'keystore.json'), JSON.stringify(EVM_ONLY));
});
afterEach(() => folder.remove());

function configOf(env: Record<string, string>, file?: unknown) {
  const base = {
    DATA_DIR: folder.path,
    DATABASE_URL: 'postgres://localhost/none',
    MASTER_KEY: Buffer.from(masterKey).toString('hex'),
  };
  return loaded({ ...base, ...env }, file);
}

/** A database that knows the key of evm. */
function databaseOfEvm(): WalletKeys {
  const noted = [...keyFingerprints(EVM_ONLY.public)];
  return {
    holding: (work) =>
      work({
        noted: async () => noted,
        note: async (keys) => void noted.push(...keys),
        isUsed: async () => true,
        sampleAddresses: async () => [],
      }),
    replacing: () => Promise.reject(new Error('nothing is replaced here')),
  };
}

/** The chains of a process, and what it warned of. */
async function chainsOf(env: Record<string, string>, walletKeys = databaseOfEvm()) {
  const warnings: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: (message, fields) => warnings.push([message, fields]) };
  const addressPool = () => ({ read: async () => [] });
  const config = configOf(env);
  const { keys } = await openWallet(config, { walletKeys, clock: systemClock, logger });
  const parts = {
    catalog: new AssetCatalog(),
    clock: systemClock,
    logger,
    keys,
    addressPool,
    identities: ANY_CHAIN,
  };
  return { chains: await composeChains(config, parts), warnings };
}

describe('a keystore that has the keys of evm only', () => {
  test.each([
    ['the API role', { ROLE: 'api' }],
    ['a worker whose signer is another process', { ROLE: 'worker', SIGNER_SOCKET: '/run/signer.sock' }],
  ])('%s says which families are missing, works for evm, and leaves the file alone', async (_, env) => {
    const path = join(folder.path, 'keystore.json');
    const before = await readFile(path, 'utf8');
    const { chains, warnings } = await chainsOf(env);
    expect(warnings).toEqual([['chain.public_keys_missing', { families: [...LATER_FAMILIES] }]]);
    expect([...chains.liveDerivers.keys()]).toEqual(['evm']);
    expect(chains.liveDerivers.get('evm')?.derive({ from: 0, count: 1 })).toEqual([
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    ]);
    expect(chains.sandboxDerivers.get('bitcoin')?.family).toBe('bitcoin');
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('a process with the master key completes it, and the others find the keys there', async () => {
    const database = databaseOfEvm();
    const { chains, warnings } = await chainsOf({ ROLE: 'worker' }, database);
    expect(warnings).toEqual([]);
    expect(chains.liveDerivers.get('bitcoin')?.derive({ from: 0, count: 1 })).toEqual([
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ]);
    expect(await readPublicKeys(folder.path)).toEqual(await publicKeysOf(words));
    const api = await chainsOf({ ROLE: 'api' }, database);
    expect(api.warnings).toEqual([]);
    expect(new Set(api.chains.liveDerivers.keys())).toEqual(
      new Set<Family>(['evm', ...LATER_FAMILIES.filter((family) => family !== 'solana')]),
    );
  });
});

describe('the wallet’s derivers', () => {
  test('are of the main network unless another one is configured for the chain', async () => {
    const keys = await publicKeysOf(words);
    const first = async (file?: unknown) => {
      const { derivers } = await walletDerivers(configOf({}, file), keys);
      return (await derivers.get('bitcoin')?.derive({ from: 0, count: 1 }))?.[0];
    };
    const rpc = ['http://127.0.0.1:18443'];
    expect(await first()).toStartWith('bc1q');
    expect(await first({ chains: { bitcoin: { rpc } } })).toStartWith('bc1q');
    expect(await first({ chains: { bitcoin: { rpc, network: 'test' } } })).toStartWith('tb1q');
    expect(await first({ chains: { bitcoin: { rpc, network: 'regtest' } } })).toStartWith('bcrt1q');
  });

  test('serve live and sandbox alike', async () => {
    const { chains } = await chainsOf({ ROLE: 'worker' });
    for (const family of ['evm', ...UTXO_FAMILIES] as const)
      expect(chains.sandboxDerivers.get(family)).toBe(chains.liveDerivers.get(family)!);
  });
});
