/**
 * Monero addresses: the deriver's contract, published vectors, and monero-wallet-rpc as the second
 * opinion on hundreds of them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type MoneroNetwork, readMoneroAddress } from '../../../../src/adapters/chains/monero/address.ts';
import { moneroDeriver } from '../../../../src/adapters/chains/monero/deriver.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { MERCHANT } from '../../../support/monero/monero-lab.ts';
import {
  type MoneroProgram,
  moneroAvailable,
  startMonerod,
  startWalletRpc,
} from '../../../support/nodes/monero.ts';
import { needs } from '../../../support/runtime/needs.ts';

/** Of monero-project/monero, functional_tests/validate_address.py. */
const PUBLISHED: Readonly<Record<Exclude<MoneroNetwork, 'regtest'>, readonly string[]>> = {
  main: [
    '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW',
    '4BxSHvcgTwu25WooY4BVmgdcKwZu5EksVZSZkDd6ooxSVVqQ4ubxXkhLF6hEqtw96i9cf3cVfLw8UWe95bdDKfRQeYtPwLm1Jiw7AKt2LY',
    '8AsN91rznfkBGTY8psSNkJBg9SZgxxGGRUhGwRptBhgr5XSQ1XzmA9m8QAnoxydecSh5aLJXdrgXwTDMMZ1AuXsN1EX5Mtm',
  ],
  test: [
    '9ujeXrjzf7bfeK3KZdCqnYaMwZVFuXemPU8Ubw335rj2FN1CdMiWNyFV3ksEfMFvRp9L9qum5UxkP5rN9aLcPxbH1au4WAB',
    'AApMA1VuhiCaHzr5X2KXi2Zc9oJ3VaGjkfChxxpRpxkyKf1NetvbRbQTbFMrGkr85DjnEH7JsBaoUFsgKwZnmtnVWnoB8MDotCsLb7eWwz',
    'BdKg9udkvckC5T58a8Nmtb6BNsgRAxs7uA2D49sWNNX5HPW5Us6Wxu8QMXrnSx3xPBQQ2iu9kwEcRGAoiz6EPmcZKbF62GS',
  ],
  stage: ['53teqCAESLxeJ1REzGMAat1ZeHvuajvDiXqboEocPaDRRmqWoVPzy46GLo866qRFjbNhfkNckyhST3WEvBviDwpUDd7DSzB'],
};

const deriver = moneroDeriver(MERCHANT);

describeAddressDeriver('monero', () => ({
  deriver,
  twin: moneroDeriver({ ...MERCHANT, viewKey: MERCHANT.viewKey.toUpperCase() }),
  notAddresses: [
    ...PUBLISHED.test,
    ...PUBLISHED.stage,
    '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDn',
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  ],
}));

describe('monero deriver', () => {
  const one = (index: number): string => deriver.derive({ from: index, count: 1 })[0]!;

  test('index i is the published subaddress (0, i + 1), and the primary address is never given out', () => {
    expect(one(0)).toBe(
      '84QRUYawRNrU3NN1VpFRndSukeyEb3Xpv8qZjjsoJZnTYpDYceuUTpog13D7qPxpviS7J29bSgSkR11hFFoXWk2yNdsR9WF',
    );
    expect(one(998)).toBe(
      '8BQKgTSSqJjP14AKnZUBwnXWj46MuNmLvHfPTpmry52DbfNjjHVvHUk4mczU8nj8yZ57zBhksTJ8kM5xKeJXw55kCMVqyG7',
    );
    expect(deriver.derive({ from: 0, count: 100 })).not.toContain(MERCHANT.primaryAddress);
  });

  test('it has no hot wallet: nothing here can spend', () => {
    expect(deriver.hotWallet()).toBeNull();
  });

  test('published addresses are taken on their own network and on no other', () => {
    for (const [network, addresses] of Object.entries(PUBLISHED))
      for (const address of addresses)
        for (const other of ['main', 'test', 'stage'] as const)
          expect(readMoneroAddress(address, other) !== null).toBe(network === other);
    for (const address of PUBLISHED.main) expect(deriver.normalize(address)).toBe(address);
  });

  test('address and view key that are no pair, another network and nonsense are refused without repeating them', () => {
    const [integrated, subaddress] = [PUBLISHED.main[1]!, one(0)];
    const wrong = [
      { ...MERCHANT, primaryAddress: PUBLISHED.main[0]! },
      { ...MERCHANT, primaryAddress: integrated },
      { ...MERCHANT, primaryAddress: subaddress },
      { ...MERCHANT, primaryAddress: 'nonsense' },
      { ...MERCHANT, network: 'stage' as const },
      { ...MERCHANT, viewKey: MERCHANT.viewKey.replace(/^4/, '5') },
      { ...MERCHANT, viewKey: 'f'.repeat(64) },
      { ...MERCHANT, viewKey: '0'.repeat(64) },
      { ...MERCHANT, viewKey: 'nonsense' },
    ];
    for (const keys of wrong) {
      expect(() => moneroDeriver(keys)).toThrow(/Monero/);
      expect(() => moneroDeriver(keys)).not.toThrow(keys.viewKey);
      expect(() => moneroDeriver(keys)).not.toThrow(keys.primaryAddress);
    }
  });
});

describe.skipIf(!needs('monerod', moneroAvailable()))('monero deriver and monero-wallet-rpc', () => {
  let daemon: MoneroProgram;
  let wallet: MoneroProgram;
  beforeAll(async () => {
    daemon = await startMonerod();
    wallet = await startWalletRpc({ daemonPort: daemon.port });
  });
  afterAll(async () => {
    await wallet.stop();
    await daemon.stop();
  });

  /** Subaddresses (0, 1) .. (0, count) of the open wallet. */
  async function created(count: number): Promise<readonly string[]> {
    const answer = await wallet.call('create_address', { account_index: 0, count });
    return answer.addresses;
  }

  test('300 addresses are the ones that create_address makes from the view key', async () => {
    await wallet.call('generate_from_keys', {
      filename: 'view-only',
      password: '',
      address: MERCHANT.primaryAddress,
      viewkey: MERCHANT.viewKey,
    });
    expect(deriver.derive({ from: 0, count: 300 })).toEqual(await created(300));
    await wallet.call('close_wallet');
  });

  test('so are those of a wallet that nobody knew before', async () => {
    await wallet.call('create_wallet', { filename: 'fresh', password: '', language: 'English' });
    const { address: primaryAddress } = await wallet.call('get_address', { account_index: 0 });
    const { key: viewKey } = await wallet.call('query_key', { key_type: 'view_key' });
    const fresh = moneroDeriver({ primaryAddress, viewKey, network: 'regtest' });
    expect(fresh.derive({ from: 0, count: 40 })).toEqual(await created(40));
    const { integrated_address } = await wallet.call('make_integrated_address', {});
    expect(fresh.normalize(integrated_address)).toBe(integrated_address);
  });
});
