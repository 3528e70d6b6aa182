/**
 * How Bitcoin, Litecoin and Bitcoin Cash and their networks differ: address versions, the identity
 * of a node's network, and the rules of spending. Sources: each node's chainparams and policy,
 * SLIP-44, SLIP-173, the cashaddr specification.
 */
import { cancelWay, type NetworkName, type UtxoFamily, walletKey } from '../../../domain/catalog/family.ts';

export interface UtxoNetwork {
  readonly family: UtxoFamily;
  readonly name: NetworkName;
  /**
   * The account of deposit addresses. It is the same on every network, so one wallet is one set of
   * keys.
   */
  readonly accountPath: string;
  /** base58check version of P2PKH. */
  readonly pubKeyHash: number;
  /** base58check version of P2SH: the one that is written, and an older one that is read too. */
  readonly scriptHash: number;
  readonly formerScriptHash: number | null;
  /** Human-readable part of segwit addresses; null: the chain has no segwit. */
  readonly bech32: string | null;
  /** Prefix of cashaddr; null: the chain does not use it. */
  readonly cashaddr: string | null;
  /**
   * Witness versions with another meaning on the chain: an output of such a script pays no address.
   */
  readonly reservedWitnessVersions: readonly number[];
  /** `getblockchaininfo.chain` of its nodes. */
  readonly nodeChains: readonly string[];
  /** Hashes of block 0. Bitcoin and Bitcoin Cash share them. */
  readonly genesis: readonly string[];
  /** Confirmations until a coinbase output can be spent. */
  readonly coinbaseMaturity: number;
  /**
   * Dust relay rate: base units per 1,000 virtual bytes, by which nodes compute the least output
   * that they relay.
   */
  readonly dustRelayFee: bigint;
  /** Whether nodes replace a transaction of the mempool by one that pays more. */
  readonly replaceable: boolean;
}

type ByNetwork = Pick<
  UtxoNetwork,
  'pubKeyHash' | 'scriptHash' | 'formerScriptHash' | 'bech32' | 'cashaddr' | 'nodeChains' | 'genesis'
>;
type ByFamily = Omit<UtxoNetwork, keyof ByNetwork | 'name' | 'accountPath' | 'replaceable'>;

const FAMILY: Readonly<Record<UtxoFamily, ByFamily>> = {
  bitcoin: {
    family: 'bitcoin',
    reservedWitnessVersions: [],
    coinbaseMaturity: 100,
    dustRelayFee: 3_000n,
  },
  litecoin: {
    family: 'litecoin',
    // MWEB: the HogEx's own output and peg-ins, whose UTXOs move into the extension block.
    reservedWitnessVersions: [8, 9],
    coinbaseMaturity: 100,
    dustRelayFee: 30_000n,
  },
  bitcoincash: {
    family: 'bitcoincash',
    reservedWitnessVersions: [],
    coinbaseMaturity: 100,
    dustRelayFee: 3_000n,
  },
};

const MAIN_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const TESTNET3_GENESIS = '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943';
const REGTEST_GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';

const BITCOIN_MAIN = { pubKeyHash: 0x00, scriptHash: 0x05, formerScriptHash: null };
const BITCOIN_TEST = { pubKeyHash: 0x6f, scriptHash: 0xc4, formerScriptHash: null };
/** Litecoin wrote Bitcoin's version byte until 2016. */
const LITECOIN_TEST = { pubKeyHash: 0x6f, scriptHash: 0x3a, formerScriptHash: 0xc4, cashaddr: null };

const NETWORK: Readonly<Record<UtxoFamily, Readonly<Record<NetworkName, ByNetwork>>>> = {
  bitcoin: {
    main: { ...BITCOIN_MAIN, bech32: 'bc', cashaddr: null, nodeChains: ['main'], genesis: [MAIN_GENESIS] },
    // testnet3, testnet4 and signet write the same addresses.
    test: {
      ...BITCOIN_TEST,
      bech32: 'tb',
      cashaddr: null,
      nodeChains: ['test', 'testnet4', 'signet'],
      genesis: [
        TESTNET3_GENESIS,
        '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
        '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
      ],
    },
    regtest: {
      ...BITCOIN_TEST,
      bech32: 'bcrt',
      cashaddr: null,
      nodeChains: ['regtest'],
      genesis: [REGTEST_GENESIS],
    },
  },
  litecoin: {
    main: {
      pubKeyHash: 0x30,
      scriptHash: 0x32,
      formerScriptHash: 0x05,
      bech32: 'ltc',
      cashaddr: null,
      nodeChains: ['main'],
      genesis: ['12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2'],
    },
    test: {
      ...LITECOIN_TEST,
      bech32: 'tltc',
      nodeChains: ['test'],
      genesis: ['4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0'],
    },
    regtest: {
      ...LITECOIN_TEST,
      bech32: 'rltc',
      nodeChains: ['regtest'],
      genesis: ['530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9'],
    },
  },
  bitcoincash: {
    main: {
      ...BITCOIN_MAIN,
      bech32: null,
      cashaddr: 'bitcoincash',
      nodeChains: ['main'],
      genesis: [MAIN_GENESIS],
    },
    // testnet3, testnet4 and chipnet write the same addresses. The last two share a genesis block.
    test: {
      ...BITCOIN_TEST,
      bech32: null,
      cashaddr: 'bchtest',
      nodeChains: ['test', 'test4', 'chip'],
      genesis: [TESTNET3_GENESIS, '000000001dd410c49a788668ce26751718cc797474d3152a5fc073dd44fd9f7b'],
    },
    regtest: {
      ...BITCOIN_TEST,
      bech32: null,
      cashaddr: 'bchreg',
      nodeChains: ['regtest'],
      genesis: [REGTEST_GENESIS],
    },
  },
};

export function utxoNetwork(family: UtxoFamily, name: NetworkName): UtxoNetwork {
  const replaceable = cancelWay(family) === 'replace';
  const { path: accountPath } = walletKey(family);
  return { ...FAMILY[family], ...NETWORK[family][name], name, accountPath, replaceable };
}
