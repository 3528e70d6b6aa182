/**
 * Transactions of the main network, as the scanner reads them: what was signed then is what is paid
 * now.
 */
import { describe, expect, test } from 'bun:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { computeAddress } from 'ethers';
import { addressText } from '../../../../src/adapters/chains/tron/address.ts';
import { readMessage } from '../../../../src/adapters/chains/tron/codec/protobuf.ts';
import type { TronNode } from '../../../../src/adapters/chains/tron/node.ts';
import { blockAt, readInfo, readInfos } from '../../../../src/adapters/chains/tron/read/blocks.ts';
import { paymentsOf } from '../../../../src/adapters/chains/tron/read/payments.ts';
import { parseNumbersAsText } from '../../../../src/domain/money/lossless-json.ts';
import {
  BTT_OF_2020,
  COIN_OF_2020,
  STARVED_OF_2024,
  TOKEN_NAMED_BITCOIN,
  USDT_OF_2020,
} from '../../../support/tron/recorded.ts';

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const USDT_HEX = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const PAID = { native: 'trx_tron', tokens: new Map([[USDT_HEX, 'usdt_tron']]) };
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PAYER = 'TM1zzNDZD2DPASbKcgdVoTYhfmYgtfwx9R';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

type Placed = typeof COIN_OF_2020 | typeof USDT_OF_2020 | typeof BTT_OF_2020;

/**
 * A node with one block of one transaction; the block around it is built, and so is what became of
 * it but for the fee.
 */
function nodeWith(transaction: object, block: { height: number; timeMs: number }, info: object): TronNode {
  const blockID = block.height.toString(16).padStart(16, '0') + 'ab'.repeat(24);
  const raw_data = { number: block.height, parentHash: 'cd'.repeat(32), timestamp: block.timeMs };
  const answers: Record<string, object> = {
    'wallet/getblockbynum': { blockID, block_header: { raw_data }, transactions: [transaction] },
    'wallet/gettransactioninfobyblocknum': [
      { blockNumber: block.height, blockTimeStamp: block.timeMs, contractResult: [''], ...info },
    ],
    'wallet/gettransactioninfobyid': info,
  };
  return { label: 'node 1', ask: async (path) => parseNumbersAsText(JSON.stringify(answers[path])) };
}

const ofBlock = async (node: TronNode, height: number) => {
  const block = await blockAt(node, height);
  const [info] = await readInfos(node, block);
  return { transaction: block.transactions[0]!, payments: paymentsOf(block.transactions[0]!, info!, PAID) };
};

function placed(recorded: Placed, more: object = {}) {
  const { txID: id, blockNumber: height, block_timestamp: timeMs, ret } = recorded;
  const node = nodeWith(recorded, { height, timeMs }, { id, fee: ret[0]!.fee, receipt: {}, ...more });
  return ofBlock(node, height);
}

/**
 * Built from the signed call, as the contract writes it: no answer with the log of this transaction
 * is published.
 */
const transferLog = (from: string, to: string, units: string) => ({
  address: USDT_HEX,
  topics: [TRANSFER, from.padStart(64, '0'), to.padStart(64, '0')],
  data: units,
});

describe('recorded transactions of the main network', () => {
  const all = [COIN_OF_2020, USDT_OF_2020, BTT_OF_2020, TOKEN_NAMED_BITCOIN];

  test('are what their owners signed: id and signature fit the bytes', () => {
    for (const { txID, raw_data, raw_data_hex, signature } of all) {
      const digest = sha256(Buffer.from(raw_data_hex, 'hex'));
      expect(hex(digest)).toBe(txID);
      const [rs, recovery] = [signature[0]!.slice(0, 128), signature[0]!.slice(128)];
      const recovered = Buffer.from(recovery + rs, 'hex');
      const key = secp256k1.recoverPublicKey(recovered, digest, { prehash: false });
      const owner = raw_data.contract[0]!.parameter.value.owner_address;
      expect(
        `41${computeAddress(`0x${hex(key)}`)
          .slice(2)
          .toLowerCase()}`,
      ).toBe(owner);
    }
  });

  test('say in their JSON what their bytes say', () => {
    for (const { raw_data, raw_data_hex } of all) {
      const contract = readMessage(readMessage(Buffer.from(raw_data_hex, 'hex'))!.bytes(11))!;
      const any = readMessage(contract.bytes(2))!;
      const { type, parameter } = raw_data.contract[0]!;
      expect(Buffer.from(any.bytes(1)).toString()).toBe(`type.googleapis.com/protocol.${type}`);
      const inside = readMessage(any.bytes(2))!;
      const { amount, ...texts } = parameter.value as { amount?: number; [field: string]: unknown };
      const fields = [1, 2, 3, 4].map((field) => hex(inside.bytes(field))).filter((bytes) => bytes !== '');
      const name = texts.asset_name as string | undefined;
      // TronGrid's own interface prints a token's name as text, the node's in hex.
      const asset = name === undefined || name.length > 12 ? name : Buffer.from(name).toString('hex');
      const told = [asset, texts.owner_address, texts.contract_address, texts.to_address, texts.data];
      expect(fields).toEqual(told.filter((text): text is string => text !== undefined));
      const units = type === 'TransferContract' ? inside.number(3) : inside.number(4);
      if (amount !== undefined) expect(units).toBe(BigInt(amount));
    }
  });

  test('a payment in the coin is read to the last digit', async () => {
    const { payments } = await placed(COIN_OF_2020);
    expect(payments).toEqual([
      {
        txid: COIN_OF_2020.txID,
        output: 'native',
        asset: 'trx_tron',
        from: PAYER,
        to: addressText('41d9378a9849912a41ec1f0e4677c074edf0516241'),
        units: 13_195_916_000n,
        kind: 'payment',
      },
    ]);
  });

  test('a transfer of USDT is read from what the contract logged, and without a log it is nothing', async () => {
    const { data } = USDT_OF_2020.raw_data.contract[0]!.parameter.value;
    const [to, units] = [data.slice(32, 72), data.slice(72)];
    const log = transferLog('79309abcff2cf531070ca9222a1f72c4a5136874', to, units);
    const receipt = { energy_fee: 296_310, energy_usage_total: 29_631, net_fee: 3_460, result: 'SUCCESS' };
    const { payments } = await placed(USDT_OF_2020, { receipt, log: [log] });
    const taker = addressText(`41${to}`);
    expect(payments).toEqual([
      {
        txid: USDT_OF_2020.txID,
        output: `log:${USDT}:${taker}:0`,
        asset: 'usdt_tron',
        from: PAYER,
        to: taker,
        units: 3_440_260_000n,
        kind: 'payment',
      },
    ]);
    expect((await placed(USDT_OF_2020, { receipt })).payments).toEqual([]);
  });

  test('T3: TRC-10 tokens are nothing, whatever they call themselves', async () => {
    expect((await placed(BTT_OF_2020)).payments).toEqual([]);
    const at = { height: 1_900_000, timeMs: TOKEN_NAMED_BITCOIN.raw_data.timestamp };
    const node = nodeWith(TOKEN_NAMED_BITCOIN, at, { id: TOKEN_NAMED_BITCOIN.txID });
    const { transaction, payments } = await ofBlock(node, at.height);
    expect(transaction.type).toBe('TransferAssetContract');
    expect(payments).toEqual([]);
  });

  test('T1: what ran out of energy failed, cost its fee and pays nothing', async () => {
    const node = nodeWith({}, { height: 1, timeMs: 0 }, STARVED_OF_2024);
    const info = await readInfo(node, STARVED_OF_2024.id);
    expect(info).toMatchObject({
      txid: STARVED_OF_2024.id,
      height: 66_747_568,
      blockTimeMs: 1_730_892_183_000n,
      succeeded: false,
      feeUnits: 13_739_430n,
      logs: [],
    });
    const { transaction } = await placed(COIN_OF_2020);
    expect(paymentsOf(transaction, info!, PAID)).toEqual([]);
    expect(Buffer.from(STARVED_OF_2024.resMessage, 'hex').toString()).toStartWith('Not enough energy');
  });
});
