/** Cold addresses are checked when the policy is read, before anything goes there. */
import { describe, expect, test } from 'bun:test';
import { coldAddressFaults } from '../../../src/adapters/signer/cold-addresses.ts';
import { familySigning } from '../../../src/compose/signer/family-signing.ts';
import { ownAddressesOf } from '../../../src/compose/signer/signing-policy.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { testConfig } from '../../support/test-service.ts';

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
/** Of each chain, an address that is not of this phrase. */
const STRANGERS = {
  ethereum: '0x52908400098527886E0F7030069857D2E4169EE7',
  polygon: '0x52908400098527886e0f7030069857d2e4169ee7',
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  tron: 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL',
  solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  xrp: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  ton: 'UQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqEBI',
} as const;

const families = familySigning(testConfig({}), { mnemonic: async () => PHRASE });

async function faultsOf(cold: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const policy = { coldAddresses: new Map(Object.entries(cold)) };
  const faults = await coldAddressFaults(policy, new AssetCatalog(), ownAddressesOf(await families));
  return Object.fromEntries(faults.map(({ path, message }) => [path, message]));
}
const hotOf = async (chain: string): Promise<string> =>
  (await ownAddressesOf(await families)(chain)!.hotWallet())!;

describe('cold addresses', () => {
  test('of strangers are right, by chain and by asset', async () => {
    expect(await faultsOf(STRANGERS)).toEqual({});
    expect(await faultsOf({ usdt_tron: STRANGERS.tron, xrp_xrp: `${STRANGERS.xrp}:77` })).toEqual({});
  });

  test('G11: of another chain, mistyped, of nobody or out of reach are faults', async () => {
    expect(
      await faultsOf({
        ...{ ethereum: STRANGERS.tron, tron: STRANGERS.ethereum, usdt_ton: STRANGERS.solana },
        ...{ bitcoin: `${STRANGERS.bitcoin.slice(0, -1)}5`, bsc: `0x${'0'.repeat(40)}` },
        ...{ xrp: `${STRANGERS.xrp}:4294967296`, ton: `-1:${'ab'.repeat(32)}` },
      }),
    ).toEqual({
      'cold_addresses.ethereum': 'must be an address of ethereum',
      'cold_addresses.tron': 'must be an address of tron',
      'cold_addresses.usdt_ton': 'must be an address of ton',
      'cold_addresses.bitcoin': 'must be an address of bitcoin',
      'cold_addresses.bsc': 'must be an address of bsc',
      'cold_addresses.xrp': 'must be an address of xrp',
      'cold_addresses.ton': expect.stringContaining('masterchain'),
    });
  });

  test.each(Object.keys(STRANGERS))('G11: on %s the hot wallet is a fault', async (chain) => {
    expect(await faultsOf({ [chain]: await hotOf(chain) })).toEqual({
      [`cold_addresses.${chain}`]: 'is the hot wallet itself',
    });
  });

  test('G11: on XRP our account is a fault with any tag, in either form', async () => {
    const signing = (await families).get('xrp')!;
    const hot = await hotOf('xrp');
    const { readXrpAddress } = await import('../../../src/adapters/chains/xrp/codec/address.ts');
    const { xrpNetwork } = await import('../../../src/adapters/chains/xrp/network.ts');
    const { account } = readXrpAddress(xrpNetwork('main'), hot)!;
    for (const text of [account, `${account}:0`, `${account}:12345`, signing.normalize(`${account}:9`)!])
      expect(Object.values(await faultsOf({ xrp_xrp: text }))).toEqual(['is the hot wallet itself']);
  });

  test('where nothing is signed are a fault', async () => {
    expect(Object.keys(await faultsOf({ monero: '4'.repeat(95) }))).toEqual(['cold_addresses.monero']);
  });
});
