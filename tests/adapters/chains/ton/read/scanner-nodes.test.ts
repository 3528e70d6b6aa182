/**
 * What several TON nodes tell of jettons, and of deposits that were seen: no single one's word, and
 * nothing that one cannot know (A3).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { beginCell, Cell, contractAddress, type StateInit } from '@ton/core';
import { connectTon } from '../../../../../src/adapters/chains/ton/connection.ts';
import { jettonBook } from '../../../../../src/adapters/chains/ton/read/jettons.ts';
import type { TonNode } from '../../../../../src/adapters/chains/ton/toncenter.ts';
import { type ChainScanner, ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { payableContract } from '../../../../support/ton/small-contracts.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { labScanner, paidTo } from '../../../../support/ton/ton-scanning.ts';
import { startToncenterServer, type ToncenterServer } from '../../../../support/ton/toncenter-server.ts';

let lab: TonLab;
let other: ToncenterServer;
beforeAll(async () => {
  lab = await openTonLab();
  other = await startToncenterServer(lab.chain);
});
beforeEach(() => {
  lab.server.behave({});
  other.behave({});
});
afterAll(async () => {
  await other.stop();
  await lab.close();
});

const both = (): ChainScanner => labScanner(lab, { rpc: [lab.server.url, other.url] });
const bytes = (cell: Cell): string => cell.toBoc().toString('base64');

/** A contract that takes every message, laid out as the wallet of a jetton would be. */
const fakeState = (owner: string): StateInit => ({
  code: payableContract().code!,
  data: beginCell()
    .storeUint(0, 4)
    .storeCoins(0)
    .storeAddress(lab.addressOf(owner))
    .storeAddress(lab.jetton.minter)
    .endCell(),
});

/** Answers of a master whose jettons are such contracts. */
const fakeJetton = {
  answer: (method: string, params: Readonly<Record<string, unknown>>, result: unknown) => {
    if (method !== 'runGetMethod') return undefined;
    const told = structuredClone(result) as { stack: unknown[] };
    if (params.method === 'get_jetton_data')
      told.stack[4] = ['cell', { bytes: bytes(payableContract().code!) }];
    if (params.method === 'get_wallet_address') {
      const [[, slice]] = params.stack as [[string, string]];
      const owner = Cell.fromBase64(slice).beginParse().loadAddress().toRawString();
      const wallet = contractAddress(0, fakeState(owner));
      told.stack[0] = ['cell', { bytes: bytes(beginCell().storeAddress(wallet).endCell()) }];
    }
    return told;
  },
};

describe('a listed jetton', () => {
  for (const liar of [0, 1])
    test(`is not what node ${liar + 1} alone says it is: nothing is read until the nodes agree, and then what was really paid`, async () => {
      const to = lab.freshAddress();
      [lab.server, other][liar]!.behave(fakeJetton);
      const scanner = both();
      // Everything below is true on the chain, and every node tells it.
      const fake = contractAddress(0, fakeState(to));
      lab.place(fake, fakeState(to));
      lab.pay({
        to: fake.toRawString(),
        units: TON / 10n,
        body: lab.internalTransfer({ units: 1_000_000_000n, from: lab.addressOf(lab.strangersAddress(1)) }),
      });
      lab.payJetton({ to, units: 5n });
      await lab.mine();
      await expect(scanner.unscannedAssets()).rejects.toThrow(ChainUnavailable);
      await expect(paidTo(scanner, [to])).rejects.toThrow(/different things/);
      lab.server.behave({});
      other.behave({});
      expect(await paidTo(scanner, [to])).toMatchObject([{ asset: USDT, units: 5n }]);
      await scanner.close();
    });

  test('that a node told not to be there is asked for again', async () => {
    lab.server.behave({
      answer: (method, _, result) =>
        method === 'runGetMethod' ? { ...(result as object), exit_code: -13 } : undefined,
    });
    const scanner = labScanner(lab);
    expect(await scanner.unscannedAssets()).toMatchObject([{ asset: USDT }]);
    lab.server.behave({});
    expect(await scanner.unscannedAssets()).toEqual([]);
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 5n });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toMatchObject([{ asset: USDT, units: 5n }]);
    lab.server.behave({});
    await paidTo(scanner, [to]);
    expect(lab.server.asked).not.toContain('runGetMethod');
    await scanner.close();
  });

  test('goes by the nodes that answer while one is away', async () => {
    other.behave({ drop: true });
    const scanner = both();
    expect(await scanner.unscannedAssets()).toEqual([]);
    lab.server.behave({ drop: true });
    await scanner.close();
    const away = both();
    await expect(away.unscannedAssets()).rejects.toThrow(ChainUnavailable);
    await away.close();
  });

  test('E9: is asked about once, whoever of scanner and sender needs it first', async () => {
    const { jettons, pool } = connectTon({
      ...{ chain: 'ton', network: lab.network, rpc: [lab.server.url], publicKey: lab.publicKey },
      jettons: [{ asset: USDT, contract: lab.jetton.minter.toString(), decimals: 6 }],
      logger: recordingLogger(),
    });
    expect([...(await jettons.among([{ asset: USDT }]).usable()).keys()]).toEqual([USDT]);
    lab.server.behave({});
    expect([...(await jettons.usable()).keys()]).toEqual([USDT]);
    expect((await jettons.among([]).usable()).size).toBe(0);
    expect(lab.server.asked).toEqual([]);
    pool.close();
  });

  test("USDT's wallets on the main network have the code that is known of them, whatever all nodes say", async () => {
    const contract = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';
    const data = (code: Cell) => ({
      exit_code: 0,
      stack: [0, 0, 0, Cell.EMPTY, code].map((cell) =>
        cell instanceof Cell ? ['cell', { bytes: bytes(cell) }] : ['num', '0x0'],
      ),
    });
    const node: TonNode = { label: 'node 1', call: async () => data(payableContract().code!) };
    const book = jettonBook({
      ...{ chain: 'ton', network: lab.network, logger: recordingLogger() },
      jettons: [{ asset: USDT, contract, decimals: 6 }],
      owners: [new Uint8Array(32), new Uint8Array(32).fill(1)],
      pool: { size: 1, every: async (work) => [await work(node)] },
    });
    expect([...(await book.usable()).keys()]).toEqual([]);
    expect(book.faults()).toMatchObject([
      { asset: USDT, reason: expect.stringMatching(/another code than is known/) },
    ]);
  });
});

describe('where a deposit is', () => {
  async function deposit() {
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 5n });
    await lab.mine();
    const wallet = lab.jetton.walletOf(lab.addressOf(to)).toRawString();
    const { hash, lt } = lab.last(wallet);
    const { seqno, rootHash } = lab.chain.tip;
    return {
      txid: hash.toString('hex'),
      seen: { asset: USDT, to, output: `lt:${lt}` },
      place: { state: 'mined', height: seqno, blockHash: rootHash.toString('hex') } as const,
    };
  }
  const refused = (method: string): boolean => method === 'getTransactions';

  test('is told however long ago it was, by one node that has it', async () => {
    const { txid, seen, place } = await deposit();
    await lab.mine(100);
    const scanner = both();
    expect(await scanner.lookup(txid, seen)).toEqual(place);
    lab.server.behave({ refuse: refused });
    expect(await scanner.lookup(txid, seen)).toEqual(place);
    lab.server.behave({ drop: true });
    expect(await scanner.lookup(txid, seen)).toEqual(place);
    await scanner.close();
  });

  test('is not told to be nowhere by a node that cannot know: it refuses, lags, or hides it', async () => {
    const { txid, seen } = await deposit();
    const scanner = labScanner(lab);
    await scanner.head();
    const cannotTell = [
      { refuse: refused },
      {
        answer: (method: string, _: unknown, result: unknown) =>
          method === 'getTransactions' ? (result as unknown[]).slice(1) : undefined,
      },
      {
        answer: (method: string, _: unknown, result: unknown) => {
          if (method !== 'getMasterchainInfo') return undefined;
          const info = result as { last: { seqno: number } };
          return { ...info, last: { ...info.last, seqno: info.last.seqno - 1 } };
        },
      },
    ];
    for (const behaviour of cannotTell) {
      lab.server.behave(behaviour);
      await expect(scanner.lookup(txid, seen)).rejects.toThrow(ChainUnavailable);
    }
    lab.server.behave({});
    // Without how it was seen, nothing leads to it.
    await expect(scanner.lookup(txid)).rejects.toThrow(ChainUnavailable);
    await scanner.close();
  });

  test('is nowhere once its account has gone on without it, and all nodes show that', async () => {
    const { txid, seen } = await deposit();
    await lab.chain.reorg(1);
    const scanner = both();
    expect(await scanner.lookup(txid, seen)).toEqual({ state: 'unknown' });
    other.behave({ refuse: refused });
    await expect(scanner.lookup(txid, seen)).rejects.toThrow(ChainUnavailable);
    await scanner.close();
  });

  test('is told, too, where many blocks came within its second, or its shard was late', async () => {
    const { txid, seen, place } = await deposit();
    await lab.mine(20);
    const time = lab.chain.block(place.height)!.time;
    lab.server.behave({
      answer: (method, params, result) => {
        const early = Number(params.seqno) <= place.height && Number(params.seqno) > place.height - 20;
        return method === 'getBlockHeader' && early ? { ...(result as object), gen_utime: time } : undefined;
      },
    });
    const scanner = labScanner(lab);
    expect(await scanner.lookup(txid, seen)).toEqual(place);
    await scanner.close();
  });

  test('is told by a node that keeps the blocks since, and none before', async () => {
    await lab.mine(40);
    const { txid, seen, place } = await deposit();
    await lab.mine(21);
    lab.server.behave({
      refuse: (method, { seqno }) => method === 'getBlockHeader' && Number(seqno) < place.height - 3,
    });
    const scanner = labScanner(lab);
    expect(await scanner.lookup(txid, seen)).toEqual(place);
    await scanner.close();
  });

  test('of coins is told by its own address', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: TON });
    await lab.mine();
    const { hash, lt } = lab.last(to);
    const scanner = labScanner(lab);
    expect(
      await scanner.lookup(hash.toString('hex'), { asset: NATIVE, to, output: `lt:${lt}` }),
    ).toMatchObject({ state: 'mined', height: lab.chain.tip.seqno });
    await scanner.close();
  });
});
