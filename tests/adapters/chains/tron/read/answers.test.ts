/**
 * What the Tron scanner makes of a block as mainnet's nodes print them. The answers here are built
 * after java-tron's protocol and its printing of JSON (Tron.proto, JsonFormat, TransactionUtil),
 * with USDT's real contract; they are no recordings: those are in recorded.test.ts.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { addressText } from '../../../../../src/adapters/chains/tron/address.ts';
import { tronScanner } from '../../../../../src/adapters/chains/tron/read/scanner.ts';
import type { ScannedBlock } from '../../../../../src/ports/chains/chain-scanner.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

const HEIGHT = 78_000_001;
const TIME_MS = 1_768_000_002_000;
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const USDT_HEX = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const [PAYER, TAKER] = [`41${'1a'.repeat(20)}`, `41${'2b'.repeat(20)}`];
const TAKER_TEXT = addressText(TAKER);
const id = (name: string): string => new Bun.CryptoHasher('sha256').update(name).digest('hex');
const blockId = (height: number, name: string): string =>
  height.toString(16).padStart(16, '0') + id(name).slice(16);
const word = (hex: string): string => hex.slice(-40).padStart(64, '0');
const hexText = (text: string): string => Buffer.from(text).toString('hex');

const header = {
  blockID: blockId(HEIGHT, 'block'),
  block_header: {
    raw_data: {
      number: HEIGHT,
      txTrieRoot: id('root'),
      witness_address: `41${'3c'.repeat(20)}`,
      parentHash: blockId(HEIGHT - 1, 'parent'),
      version: 31,
      timestamp: TIME_MS,
    },
    witness_signature: '00'.repeat(65),
  },
};

/** Mainnet's first block: zeros are left out. */
const FIRST = {
  blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
  block_header: {
    raw_data: { parentHash: 'e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f' },
  },
};

function transaction(name: string, type: string, value: object, contractRet = 'SUCCESS'): object {
  const parameter = { value, type_url: `type.googleapis.com/protocol.${type}` };
  return {
    ret: [{ contractRet }],
    signature: ['00'.repeat(65)],
    txID: id(name),
    raw_data: {
      contract: [{ parameter, type }],
      ref_block_bytes: '2f40',
      ref_block_hash: '0011223344556677',
      expiration: TIME_MS + 57_000,
      fee_limit: 30_000_000,
      timestamp: TIME_MS - 3_000,
    },
  };
}

const info = (name: string, more: object): object => ({
  id: id(name),
  blockNumber: HEIGHT,
  blockTimeStamp: TIME_MS,
  contractResult: [''],
  ...more,
});
const call = { owner_address: PAYER, contract_address: USDT_HEX };
const transferData = `a9059cbb${word(TAKER)}${(25_000_000).toString(16).padStart(64, '0')}`;
const transferLog = {
  address: USDT_HEX.slice(2),
  topics: [TRANSFER, word(PAYER), word(TAKER)],
  data: (25_000_000).toString(16).padStart(64, '0'),
};
const energy = {
  energy_fee: 6_428_500,
  energy_usage_total: 64_285,
  net_usage: 345,
  energy_penalty_total: 49_635,
};

const TRANSACTIONS = [
  transaction('coin', 'TransferContract', { amount: 5_000_000, owner_address: PAYER, to_address: TAKER }),
  transaction('usdt', 'TriggerSmartContract', { ...call, data: transferData }),
  transaction('reverted', 'TriggerSmartContract', { ...call, data: transferData }, 'REVERT'),
  transaction('starved', 'TriggerSmartContract', { ...call, data: transferData }, 'OUT_OF_ENERGY'),
  transaction('trc10', 'TransferAssetContract', {
    amount: 5_000_000,
    asset_name: hexText('1002000'),
    owner_address: PAYER,
    to_address: TAKER,
  }),
  transaction('router', 'TriggerSmartContract', {
    ...call,
    contract_address: `41${'4d'.repeat(20)}`,
    data: '00',
  }),
  transaction('vote', 'VoteWitnessContract', {
    owner_address: PAYER,
    votes: [{ vote_address: TAKER, vote_count: 7 }],
  }),
  transaction('lending', 'DelegateResourceContract', {
    balance: 5_000_000,
    receiver_address: TAKER,
    resource: 'ENERGY',
    owner_address: PAYER,
  }),
  transaction('permissions', 'AccountPermissionUpdateContract', {
    owner_address: TAKER,
    owner: { permission_name: 'owner', threshold: 1, keys: [{ address: PAYER, weight: 1 }] },
    actives: [{ type: 'Active', permission_name: 'active', threshold: 1, operations: '7fff' }],
  }),
  // The price of everything there is: past what a JSON number of JavaScript can hold.
  transaction('whale', 'TransferContract', {
    amount: '@9223372036854775807',
    owner_address: PAYER,
    to_address: TAKER,
  }),
];

const INFOS = [
  info('coin', { fee: 1_100_000, receipt: { net_fee: 100_000 } }),
  info('usdt', {
    fee: 6_428_500,
    contractResult: ['0'.repeat(64)],
    contract_address: USDT_HEX,
    receipt: { ...energy, result: 'SUCCESS' },
    log: [transferLog],
    packingFee: 6_428_500,
  }),
  info('reverted', {
    fee: 700_000,
    contract_address: USDT_HEX,
    receipt: { ...energy, result: 'REVERT' },
    result: 'FAILED',
    resMessage: hexText('REVERT opcode executed'),
  }),
  info('starved', {
    fee: 30_000_000,
    contract_address: USDT_HEX,
    receipt: { ...energy, result: 'OUT_OF_ENERGY' },
    result: 'FAILED',
    resMessage: hexText("Not enough energy for 'SSTORE' operation executing"),
    // No node logs this for a failed transaction: if one did, it would pay nothing all the same.
    log: [transferLog],
  }),
  info('trc10', { receipt: { net_usage: 285 } }),
  info('router', {
    contract_address: `41${'4d'.repeat(20)}`,
    receipt: { ...energy, result: 'SUCCESS' },
    internal_transactions: [
      {
        hash: id('internal 1'),
        caller_address: `41${'4d'.repeat(20)}`,
        transferTo_address: TAKER,
        callValueInfo: [{ callValue: 7_000_000 }],
        note: hexText('call'),
      },
      {
        hash: id('internal 2'),
        caller_address: `41${'4d'.repeat(20)}`,
        transferTo_address: TAKER,
        callValueInfo: [{}],
        note: hexText('call'),
      },
      {
        hash: id('internal 3'),
        caller_address: `41${'4d'.repeat(20)}`,
        transferTo_address: TAKER,
        callValueInfo: [{ callValue: 8_000_000 }],
        note: hexText('call'),
        rejected: true,
      },
    ],
  }),
  info('vote', { receipt: { net_usage: 239 } }),
  info('lending', { receipt: { net_usage: 276 } }),
  info('permissions', { fee: 100_000_000, receipt: { net_fee: 401_000 } }),
  info('whale', { receipt: { net_usage: 268 } }),
];

const exact = (value: unknown): string => JSON.stringify(value).replaceAll(/"@(\d+)"/g, '$1');

describe('blocks as nodes of mainnet print them', () => {
  let shown: readonly object[] = TRANSACTIONS;
  let solid: object = header;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const asked = (await request.json()) as { id_or_num?: string };
      if (pathname === '/walletsolidity/getblock') return new Response(exact(solid));
      if (pathname.endsWith('getblock')) return new Response(exact(asked.id_or_num === '0' ? FIRST : header));
      if (pathname.endsWith('getblockbylimitnext'))
        return new Response(exact({ block: [{ ...header, transactions: shown }] }));
      if (pathname.endsWith('getblockbynum')) return new Response(exact({ ...header, transactions: shown }));
      if (pathname.endsWith('infobyblocknum')) return new Response(exact(INFOS));
      const decimals = {
        result: { result: true },
        energy_used: 463,
        constant_result: [`${'0'.repeat(63)}6`],
      };
      return new Response(exact(decimals));
    },
  });
  const scanner = tronScanner({
    chain: 'tron',
    network: 'main',
    rpc: [`http://127.0.0.1:${server.port}`],
    asset: 'trx_tron',
    tokens: [{ asset: 'usdt_tron', contract: USDT, decimals: 6 }],
    confirmations: null,
    logger: silentLogger,
  });
  afterAll(async () => {
    await scanner.close();
    await server.stop(true);
  });
  const scanned = async (): Promise<ScannedBlock> => {
    const known = async (addresses: readonly string[]) => new Set(addresses);
    const watch = {
      known,
      expectingNative: async () => [],
      following: async () => [],
      recorded: async () => new Set<string>(),
      reservedIndexes: async () => 0,
    };
    return (await scanner.blocks({ from: HEIGHT, to: HEIGHT }, watch))[0]!;
  };

  test('coin, USDT and what a contract pays are read to the last digit, and nothing else is a payment', async () => {
    const { transfers, frozen, ...place } = await scanned();
    expect(place).toEqual({
      height: HEIGHT,
      hash: header.blockID,
      parentHash: header.block_header.raw_data.parentHash,
      time: TIME_MS / 1_000,
    });
    const payer = addressText(PAYER);
    const common = { to: TAKER_TEXT, kind: 'payment' };
    const router = addressText(`41${'4d'.repeat(20)}`);
    expect<unknown>(transfers).toEqual([
      { ...common, txid: id('coin'), output: 'native', asset: 'trx_tron', from: payer, units: 5_000_000n },
      {
        ...common,
        txid: id('usdt'),
        output: `log:${USDT}:${TAKER_TEXT}:0`,
        asset: 'usdt_tron',
        from: payer,
        units: 25_000_000n,
      },
      {
        ...common,
        txid: id('router'),
        output: `call:${TAKER_TEXT}:0`,
        asset: 'trx_tron',
        from: router,
        units: 7_000_000n,
      },
      {
        ...common,
        txid: id('whale'),
        output: 'native',
        asset: 'trx_tron',
        from: payer,
        units: 2n ** 63n - 1n,
      },
    ]);
    expect(frozen).toEqual([TAKER_TEXT]);
  });

  test('blocks that are called solidified, and that nobody has yet, are not final', async () => {
    const number = HEIGHT + 1_000;
    const { raw_data } = header.block_header;
    solid = { blockID: blockId(number, 'far'), block_header: { raw_data: { ...raw_data, number } } };
    expect(await scanner.head()).toMatchObject({ tip: { height: HEIGHT }, finalizedHeight: HEIGHT });
  });

  test('R9: a block is not believed to be empty where its header says that it is not', async () => {
    shown = [];
    await expect(scanned()).rejects.toThrow(`block ${HEIGHT} without its transactions`);
    shown = TRANSACTIONS;
  });

  test('a contract that a node cannot print is none that pays, and does not stop the scan', async () => {
    TRANSACTIONS[0] = { ...TRANSACTIONS[0], raw_data: { contract: [] } };
    expect((await scanned()).transfers.map(({ txid }) => txid)).not.toContain(id('coin'));
  });
});
