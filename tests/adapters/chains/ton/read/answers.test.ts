/**
 * What TON nodes answer, read. ton-answers/block-header.json is an answer of the main network that
 * a provider's documentation publishes; ton-answers/wallet-transaction.json holds the bytes of a
 * transaction of the main network (account 83dfd552..., November 2021) under its hash, the fields
 * around them written by the API's schema; USDT's code is what its master answers there. Everything
 * else is built by that schema (toncenter's v2.yaml).
 */
import { describe, expect, test } from 'bun:test';
import { Address, beginCell, Cell, contractAddress } from '@ton/core';
import { nodeEndpoint } from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { NodeError, RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import {
  masterBlock,
  shardTips,
  transactionsBetween,
} from '../../../../../src/adapters/chains/ton/read/blocks.ts';
import { jettonWalletRule } from '../../../../../src/adapters/chains/ton/read/jetton-wallets.ts';
import { type ShardTip, shardBlocksBetween } from '../../../../../src/adapters/chains/ton/read/shards.ts';
import { readTransaction } from '../../../../../src/adapters/chains/ton/read/transactions.ts';
import {
  type TonNode,
  toncenterNode,
  withJsonRpcPath,
} from '../../../../../src/adapters/chains/ton/toncenter.ts';
import header from '../recorded-answers/block-header.json';
import walletTransaction from '../recorded-answers/wallet-transaction.json';

const USDT_MASTER = Address.parse('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs');
/** A library cell, as `get_jetton_data` answers it: the code itself is in the masterchain. */
const USDT_CODE = 'te6cckEBAQEAIwAIQgKPRS16Tf10BmtoI2UXclntBXNENb52tf1L1divK3w9aCBrv3Y=';
const ROOT = '2a8ZfAc+YN+hWDxtnlj+lsmPxDljA1ur8XVvL52UB2s=';
const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

/** A node that answers `results` by method. */
const answering = (results: Record<string, unknown>): TonNode => ({
  label: 'node 1',
  call: async (method, params) => {
    const result = results[method];
    return typeof result === 'function' ? result(params) : result;
  },
});

describe('blocks', () => {
  test('a header of the main network is read: height, hash, parent and time', async () => {
    const node = answering({ getBlockHeader: header });
    expect(await masterBlock(node, 30_497_145)).toEqual({
      height: 30_497_145,
      hash: hex(ROOT),
      parentHash: hex('i84CdB9iTlC/rsy3kBG+RF3TTWIyG358LxHgaEbCxkA='),
      time: 1_687_271_330,
    });
    await expect(masterBlock(node, 30_497_146)).rejects.toThrow(NodeError);
  });

  test('the zero state begins the chain', async () => {
    const init = {
      workchain: -1,
      shard: '0',
      seqno: 0,
      root_hash: 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=',
    };
    const node = answering({ getMasterchainInfo: { last: header.id, init } });
    expect(await masterBlock(node, 0)).toMatchObject({ height: 0, hash: hex(init.root_hash), time: 0 });
    expect(await shardTips(node, 0)).toEqual([]);
  });

  test('the transactions of a block come in pages, and the next begins behind the last account', async () => {
    const id = { workchain: 0, shard: '-9223372036854775808', root_hash: ROOT, file_hash: ROOT };
    const listed = Array.from({ length: 600 }, (_, index) => ({
      account: `0:${index.toString(16).padStart(64, 'A')}`,
      lt: String(1_000 + index),
      hash: Buffer.alloc(32, index % 256).toString('base64'),
    }));
    const asked: unknown[] = [];
    const node = answering({
      shards: ({ seqno }: { seqno: number }) => ({ shards: [{ ...id, seqno }] }),
      getBlockTransactions: (params: { after_lt?: string; after_hash?: string; count: number }) => {
        asked.push(params);
        const start = params.after_lt === undefined ? 0 : Number(params.after_lt) - 999;
        const transactions = listed.slice(start, start + params.count);
        return { transactions, incomplete: start + params.count < 600 };
      },
    });
    const [before, after] = [await shardTips(node, 7), await shardTips(node, 8)];
    const found = await transactionsBetween(node, before, after);
    expect(found.map(({ lt }) => lt)).toEqual(listed.map(({ lt }) => BigInt(lt)));
    expect(found[0]!.account).toBe(listed[0]!.account.toLowerCase());
    expect(asked).toHaveLength(3);
    const last = Buffer.from(listed[255]!.account.slice(2), 'hex').toString('base64');
    expect(asked[1]).toMatchObject({ after_lt: '1255', after_hash: last, root_hash: ROOT, seqno: 8 });
  });
});

describe('a list of transactions', () => {
  test('that says it is incomplete and goes no further is a fault, and not the end', async () => {
    const listed = { account: `0:${'AB'.repeat(32)}`, lt: '1000', hash: ROOT };
    const node = answering({
      getBlockTransactions: ({ after_lt }: { after_lt?: string }) => ({
        transactions: after_lt === undefined ? [listed] : [],
        incomplete: true,
      }),
    });
    const tip = (seqno: number) => ({
      workchain: 0,
      shard: '-9223372036854775808',
      seqno,
      rootHash: '',
      fileHash: '',
    });
    await expect(transactionsBetween(node, [tip(7)], [tip(8)])).rejects.toThrow(NodeError);
  });
});

describe('shard blocks between two masterchain blocks', () => {
  const tip = (shard: bigint, seqno: number): ShardTip => ({
    workchain: 0,
    shard: BigInt.asIntN(64, shard << 60n).toString(),
    seqno,
    rootHash: '',
    fileHash: '',
  });
  const seqnosOf = (before: readonly ShardTip[], after: readonly ShardTip[]) =>
    shardBlocksBetween(before, after)?.map(
      ({ shard, seqno }) => `${(BigInt.asUintN(64, BigInt(shard)) >> 60n).toString(16)}:${seqno}`,
    ) ?? null;

  test('are all that each shard made since, the last of them by its hash', () => {
    expect(seqnosOf([tip(0x4n, 10), tip(0xcn, 20)], [tip(0x4n, 13), tip(0xcn, 20)])).toEqual([
      '4:11',
      '4:12',
      '4:13',
    ]);
    const [first, second] = shardBlocksBetween([tip(0x8n, 1)], [tip(0x8n, 3)])!;
    expect([first!.tip, second!.tip?.seqno]).toEqual([null, 3]);
  });

  test('go on from the shard that was split, and from both that were merged', () => {
    expect(seqnosOf([tip(0x8n, 10)], [tip(0x4n, 12), tip(0xcn, 11)])).toEqual(['4:11', '4:12', 'c:11']);
    expect(seqnosOf([tip(0x4n, 12), tip(0xcn, 15)], [tip(0x8n, 16)])).toEqual(['8:16']);
    expect(seqnosOf([tip(0x4n, 5), tip(0xcn, 9)], [tip(0x4n, 6), tip(0xan, 11), tip(0xen, 10)])).toEqual([
      '4:6',
      'a:10',
      'a:11',
      'e:10',
    ]);
  });

  test('are not told where the two do not belong together', () => {
    expect(seqnosOf([tip(0x4n, 5)], [tip(0xan, 6)])).toBeNull();
    expect(seqnosOf([tip(0x4n, 5)], [tip(0x4n, 4)])).toBeNull();
    expect(seqnosOf([], [tip(0x8n, 2)])).toEqual(['8:1', '8:2']);
  });
});

describe('a transaction', () => {
  test('of the main network is read from its bytes, under its hash and logical time', () => {
    const { hash, transaction } = readTransaction(walletTransaction);
    expect(hash).toBe(hex(walletTransaction.transaction_id.hash));
    expect(transaction).toMatchObject({ lt: 22_901_965_000_001n, now: 1_636_617_082 });
    expect(transaction.inMessage?.info.type).toBe('external-in');
  });

  test('whose bytes say something else than what is told beside them is not believed', () => {
    const { transaction_id: id, ...rest } = walletTransaction;
    for (const lie of [
      { ...rest, transaction_id: { ...id, hash: ROOT } },
      { ...rest, transaction_id: { ...id, lt: '22901965000003' } },
      { ...rest, transaction_id: id, data: beginCell().endCell().toBoc().toString('base64') },
      { ...rest, transaction_id: id, data: 'nonsense' },
      { ...rest, transaction_id: id, data: 7 },
      { data: rest.data },
      null,
    ])
      expect(() => readTransaction(lie)).toThrow(NodeError);
  });
});

describe('jetton wallets', () => {
  test("USDT's are computed from the code that its master answers, and its first state", () => {
    const code = Cell.fromBase64(USDT_CODE);
    expect(code.hash().toString('hex')).toBe(
      '89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b',
    );
    const owner = (byte: number) => new Address(0, Buffer.alloc(32, byte));
    const walletOf = (address: Address) => {
      const data = beginCell().storeUint(0, 4).storeCoins(0).storeAddress(address).storeAddress(USDT_MASTER);
      return contractAddress(0, { code, data: data.endCell() });
    };
    const rule = jettonWalletRule(
      { master: USDT_MASTER.hash, code: { hash: code.hash(), depth: code.depth() } },
      [1, 2].map((byte) => ({ owner: owner(byte).hash, wallet: walletOf(owner(byte)).hash })),
    );
    for (let byte = 0; byte < 100; byte += 1)
      expect(walletOf(owner(byte)).hash.equals(rule!(owner(byte).hash))).toBe(true);
  });

  test('of the other known layouts are found out by two samples, and an unknown layout is not', () => {
    const code = beginCell().storeUint(5, 8).storeRef(beginCell().endCell()).endCell();
    const master = new Address(0, Buffer.alloc(32, 9));
    const layouts = [
      (owner: Address) => beginCell().storeCoins(0).storeAddress(owner).storeAddress(master).storeRef(code),
      (owner: Address) => beginCell().storeCoins(0).storeAddress(owner).storeAddress(master),
      (owner: Address) => beginCell().storeUint(0, 5).storeAddress(owner).storeAddress(master),
    ];
    const known = layouts.map((layout) => {
      const samples = [1, 2].map((byte) => {
        const owner = new Address(0, Buffer.alloc(32, byte));
        return {
          owner: owner.hash,
          wallet: contractAddress(0, { code, data: layout(owner).endCell() }).hash,
        };
      });
      const parts = { master: master.hash, code: { hash: code.hash(), depth: code.depth() } };
      return jettonWalletRule(parts, samples) !== null;
    });
    expect(known).toEqual([true, true, false]);
  });
});

describe("a node's client", () => {
  const client = (respond: (body: unknown) => Response | Promise<Response>): TonNode =>
    toncenterNode({
      endpoint: nodeEndpoint(
        { url: 'https://user:a-secret@ton.example.com/api/v2/jsonRPC', apiKey: 'a-key-of-ours' },
        0,
      ),
      timeoutMs: 200,
      fetch: (async (_: unknown, { body, signal }: RequestInit) =>
        Promise.race([
          respond(JSON.parse(String(body))),
          new Promise((_resolve, reject) => signal?.addEventListener('abort', reject)),
        ])) as typeof fetch,
      closed: new AbortController().signal,
    });
  const failure = async (respond: Parameters<typeof client>[0]): Promise<Error> =>
    client(respond)
      .call('getMasterchainInfo')
      .then(
        () => new Error('it answered'),
        (error: Error) => error,
      );

  test('asks by name, and gives the result as it is, large numbers exactly', async () => {
    const node = client((body) => {
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: '1',
        method: 'getAddressInformation',
        params: { address: 'x' },
      });
      return new Response('{"ok":true,"result":{"balance":123456789012345678901,"seqno":7}}');
    });
    expect(await node.call('getAddressInformation', { address: 'x' })).toEqual({
      balance: '123456789012345678901',
      seqno: 7,
    });
  });

  test('tells a refusal from a node that is away, without the address, the password or the key', async () => {
    const refused = await failure(() =>
      Response.json({ ok: false, error: 'LITE_SERVER_UNKNOWN: a-secret', code: 500 }, { status: 500 }),
    );
    expect(refused).toBeInstanceOf(RpcError);
    expect(refused.message).toBe('node 1 (ton.example.com): LITE_SERVER_UNKNOWN: ***');
    const away: Parameters<typeof client>[0][] = [
      () => new Response('<html>', { status: 200 }),
      () => new Response('<html>', { status: 503 }),
      () => Response.json({ result: 5 }),
      () => Response.json([]),
      () => Promise.reject(new TypeError('a-key-of-ours at https://user:a-secret@ton.example.com')),
      () => new Promise<Response>(() => {}),
    ];
    for (const respond of away) {
      const error = await failure(respond);
      expect(error).toBeInstanceOf(NodeError);
      expect(error.message).not.toMatch(/a-secret|a-key-of-ours/);
    }
  });

  test('has at most eight questions on their way', async () => {
    let running = 0;
    let most = 0;
    const node = client(async () => {
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(1);
      running -= 1;
      return Response.json({ ok: true, result: null });
    });
    await Promise.all(Array.from({ length: 40 }, () => node.call('getMasterchainInfo')));
    expect(most).toBe(8);
  });

  test('finds the path of the API where only a host is given', () => {
    for (const given of ['https://toncenter.com', 'https://toncenter.com/', 'https://toncenter.com/api/v2'])
      expect(withJsonRpcPath(given)).toBe('https://toncenter.com/api/v2/jsonRPC');
    expect(withJsonRpcPath('https://ton.example.com/rpc/key')).toBe('https://ton.example.com/rpc/key');
  });
});
