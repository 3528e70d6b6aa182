/**
 * The XRP scanner keeps the scanner's contract on the test network, behind a plan as well, and
 * reads it from several nodes that are not alike.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { xAddress } from '../../../../../src/adapters/chains/xrp/codec/address.ts';
import { destinationTag } from '../../../../../src/adapters/chains/xrp/codec/tags.ts';
import { xrpNetwork } from '../../../../../src/adapters/chains/xrp/network.ts';
import { type XrpScannerOptions, xrpScanner } from '../../../../../src/adapters/chains/xrp/read/scanner.ts';
import {
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import { describeChainScanner } from '../../../../contracts/chains/chain-scanner.ts';
import { watching, watchingNobody } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { behindPlan } from '../../../../support/providers/behind-plan.ts';
import { PUBLIC_RIPPLED } from '../../../../support/providers/plans.ts';
import { openXrpLab, type XrpLab } from '../../../../support/xrp/lab.ts';

const network = xrpNetwork('main');
const LONG_MS = 600_000;

function optionsOn(lab: XrpLab, changes: Partial<XrpScannerOptions> = {}): XrpScannerOptions {
  return {
    chain: 'xrp',
    network,
    account: lab.account('hot'),
    asset: 'xrp_xrp',
    confirmations: 1,
    rpc: lab.urls,
    logger: recordingLogger(),
    timing: { coolDownMs: 1 },
    ...changes,
  };
}

for (const [confirmations, plan] of [
  [1, PUBLIC_RIPPLED],
  [3, null],
] as const)
  describeChainScanner(`xrp, ${confirmations} validated ledgers`, async () => {
    const lab = openXrpLab();
    const account = lab.account('hot');
    lab.account('payer');
    lab.network.close(20);
    const scanner = xrpScanner(optionsOn(lab, { confirmations, ...behindPlan(plan) }));
    const several = xrpScanner(optionsOn(lab, { confirmations, rpc: [...lab.urls, ...lab.urls] }));
    let used = 0;
    return {
      scanner,
      several,
      shows: 'all of it',
      confirmations,
      assets: ['xrp_xrp'],
      showsPending: false,
      unknownTxid: 'F'.repeat(64),
      freshAddress: () => xAddress(network, { account, tag: destinationTag(used++) }),
      pay: async ({ to, units }) => ({ txid: lab.pay(to, units) }),
      mine: async (count) => lab.network.close(count),
      reorg: async (depth) => lab.network.replace(depth, { forget: true }),
      outage: async (down) => lab.nodes[0]!.behave({ down }),
      close: async () => {
        await scanner.close();
        await lab.close();
      },
    };
  });

describe('nodes of the XRP Ledger', () => {
  let lab: XrpLab;
  beforeAll(() => {
    lab = openXrpLab({ nodes: 2 });
    lab.account('hot');
    lab.account('payer');
    lab.network.close(30);
  });
  beforeEach(() => {
    for (const node of lab.nodes) node.behave({});
    lab.network.close();
  });
  afterAll(() => lab.close());

  const first = () => lab.nodes[0]!;
  const second = () => lab.nodes[1]!;
  const open = (changes: Partial<XrpScannerOptions> = {}) => xrpScanner(optionsOn(lab, changes));
  const tip = () => lab.last().index;

  test('a ledger that is closed and not validated does not exist yet', async () => {
    const scanner = open();
    const before = (await scanner.head()).tip;
    lab.network.close(1, { validate: false });
    expect((await scanner.head()).tip).toEqual(before);
    expect(await scanner.blockAt(tip())).toBeNull();
    expect(await scanner.confirmWithNodes({ height: tip(), hash: lab.last().hash }, [])).toMatchObject({
      kind: 'disputed',
    });
    await expect(scanner.blocks({ from: tip(), to: tip() }, watchingNobody)).rejects.toThrow(
      ChainUnavailable,
    );
    lab.network.replace(1);
    lab.network.validate();
    expect((await scanner.head()).tip.hash).toBe(lab.last().hash);
  });

  test('a payment in a ledger that another one takes the place of before validation is told once, from the other one', async () => {
    const scanner = open();
    const to = xAddress(network, { account: lab.account('hot'), tag: 77 });
    const txid = lab.pay(to, 2_500_000n);
    lab.network.close(1, { validate: false });
    expect(await scanner.lookup(txid)).toEqual({ state: 'pending' });
    const replaced = lab.last().hash;
    lab.network.replace(1);
    expect(await scanner.lookup(txid)).toEqual({ state: 'pending' });
    lab.network.close(1);
    const blocks = await scanner.blocks({ from: tip() - 1, to: tip() }, watching([to]));
    expect(blocks.map(({ hash }) => hash)).not.toContain(replaced);
    expect(blocks.flatMap(({ transfers }) => transfers)).toMatchObject([{ txid, to, units: 2_500_000n }]);
  });

  test('history that one node does not keep is read from the other, and missing everywhere it is unavailable, not absent', async () => {
    const gap = tip() - 3;
    const keeps = (index: number): boolean => index !== gap;
    first().behave({ keeps });
    const scanner = open({ timing: { coolDownMs: LONG_MS } });
    const range = { from: gap - 1, to: gap + 1 };
    expect((await scanner.blocks(range, watchingNobody)).map(({ height }) => height)).toEqual([
      gap - 1,
      gap,
      gap + 1,
    ]);
    const block = (await scanner.blockAt(gap))!;
    expect(block.height).toBe(gap);
    // A node that lost it cannot tell; that is no disagreement.
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'agreed' });
    second().behave({ keeps });
    await expect(scanner.blockAt(gap)).rejects.toThrow(ChainUnavailable);
    await expect(scanner.blocks(range, watchingNobody)).rejects.toThrow(ChainUnavailable);
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
  });

  test('A3: a node that lags or has another ledger withholds agreement, and one that is away does not', async () => {
    const scanner = open();
    const block = (await scanner.blockAt(tip()))!;
    second().behave({ lag: 2 });
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
    second().behave({
      answer: (method, result) =>
        method === 'ledger'
          ? { ...result, ledger: { ...(result.ledger as object), ledger_hash: 'A'.repeat(64) } }
          : undefined,
    });
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'disputed' });
    second().behave({ down: true });
    expect(await scanner.confirmWithNodes(block, [])).toMatchObject({ kind: 'agreed' });
  });

  test('A3: what only one node says was delivered, or to which tag, is disputed; whose it is an operator may say', async () => {
    const scanner = open();
    const [to, another] = [5, 6].map((tag) => xAddress(network, { account: lab.account('hot'), tag }));
    lab.pay(to!, 2_500_000n);
    lab.network.close();
    const range = { from: tip(), to: tip() };
    const [{ transfers, ...block }] = (await scanner.blocks(range, watching([to!]))) as [ScannedBlock];
    const [real] = transfers as [Transfer];
    expect(await scanner.confirmWithNodes(block, [real])).toEqual({ kind: 'agreed', disputed: [] });
    for (const invented of [
      { ...real, units: 2_500_001n },
      { ...real, to: another! },
    ])
      expect(await scanner.confirmWithNodes(block, [invented])).toEqual({
        kind: 'agreed',
        disputed: [invented],
      });
    const assigned = { ...real, from: null, to: another! };
    expect(await scanner.confirmWithNodes(block, [assigned])).toEqual({ kind: 'agreed', disputed: [] });
    const more = { ...assigned, units: 2_500_001n };
    expect(await scanner.confirmWithNodes(block, [more])).toEqual({ kind: 'agreed', disputed: [more] });
  });

  test('a tip that falls back is asked of the other nodes as well', async () => {
    const scanner = open();
    const { height } = (await scanner.head()).tip;
    first().behave({ lag: 5 });
    expect((await scanner.head()).tip.height).toBe(height);
    second().behave({ lag: 5 });
    expect((await scanner.head()).tip.height).toBe(height - 5);
  });

  test('a node of another network is never used, and one that names no network is of the main one', async () => {
    first().behave({ networkId: 1 });
    second().behave({ networkId: 21_337 });
    await expect(open().head()).rejects.toThrow(/serves another chain than xrp main/);
    expect((await open({ network: xrpNetwork('test') }).head()).tip.height).toBe(tip());
    first().behave({ networkId: null });
    expect((await open().head()).tip.height).toBe(tip());
    await expect(open({ network: xrpNetwork('test') }).head()).rejects.toThrow(ChainUnavailable);
  });

  test('R7: a node that is overloaded is passed over, and left alone for a while', async () => {
    for (const token of ['tooBusy', 'slowDown']) {
      const logger = recordingLogger();
      first().behave({ refuse: (method) => (method === 'ledger' ? token : undefined) });
      const scanner = open({ logger });
      expect((await scanner.head()).tip.height).toBe(tip());
      first().behave({});
      expect(logger.lines.map(({ event }) => event)).toEqual(['node.limited']);
    }
  });

  test('a node that is not in step is passed over, and told of without its URL', async () => {
    for (const token of ['noNetwork', 'noCurrent', 'amendmentBlocked', 'invalidParams']) {
      const logger = recordingLogger();
      first().behave({ refuse: (method) => (method === 'ledger' ? token : undefined) });
      const scanner = open({ logger });
      expect((await scanner.head()).tip.height).toBe(tip());
      second().behave({ down: true });
      await expect(scanner.head()).rejects.toThrow(token);
      for (const { fields } of logger.lines) expect(JSON.stringify(fields)).not.toContain(lab.urls[0]!);
      second().behave({});
    }
  });

  test('answers of another shape put the node at fault', async () => {
    const ledger = (changes: object) => (method: string, result: Readonly<Record<string, unknown>>) =>
      method === 'ledger' ? { ...result, ledger: { ...(result.ledger as object), ...changes } } : undefined;
    for (const answer of [
      ledger({ ledger_hash: 'short' }),
      ledger({ ledger_index: -1 }),
      ledger({ close_time: 'yesterday' }),
      ledger({ parent_hash: null }),
      (method: string) => (method === 'ledger' ? { validated: true, ledger: [] } : undefined),
      (method: string) => (method === 'ledger' ? 'no' : undefined),
    ]) {
      first().behave({ answer });
      second().behave({ answer });
      await expect(open().head()).rejects.toThrow(/unusable answer/);
    }
    const wrong = { from: tip(), to: tip() };
    for (const node of lab.nodes) node.behave({ answer: ledger({ ledger_index: tip() - 1 }) });
    await expect(open().blocks(wrong, watchingNobody)).rejects.toThrow(/another ledger than asked/);
    const whole = { refuse: (method: string) => (method === 'account_info' ? 'noPermission' : undefined) };
    for (const node of lab.nodes)
      node.behave({ ...whole, answer: ledger({ transactions: [{ hash: 'x' }] }) });
    await expect(open().blocks(wrong, watchingNobody)).rejects.toThrow(/unusable answer/);
  });

  test('ledgers that do not follow each other are no range', async () => {
    for (const node of lab.nodes)
      node.behave({
        answer: (method, result, { ledger_index }) =>
          method === 'ledger' && ledger_index === tip()
            ? { ...result, ledger: { ...(result.ledger as object), parent_hash: 'B'.repeat(64) } }
            : undefined,
      });
    await expect(open().blocks({ from: tip() - 1, to: tip() }, watchingNobody)).rejects.toThrow(
      /replaced while/,
    );
  });
});
