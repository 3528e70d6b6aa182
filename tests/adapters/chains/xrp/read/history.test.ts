/**
 * What our XRP account says of its own history, held against what a node lists: nothing is left
 * out, and no ledger is read whole without need.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { xAddress } from '../../../../../src/adapters/chains/xrp/codec/address.ts';
import { xrpNetwork } from '../../../../../src/adapters/chains/xrp/network.ts';
import { xrpScanner } from '../../../../../src/adapters/chains/xrp/read/scanner.ts';
import type { ChainScanner, ScannedBlock } from '../../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { openXrpLab, type XrpLab } from '../../../../support/xrp/lab.ts';
import type { Answer, NodeBehaviour } from '../../../../support/xrp/node.ts';

const network = xrpNetwork('main');

let lab: XrpLab;
/** Of ours. */
let address: string;
let scanner: ChainScanner;
beforeAll(() => {
  lab = openXrpLab();
  const account = lab.account('hot');
  address = xAddress(network, { account, tag: 7 });
  lab.account('payer');
  lab.network.close();
  scanner = xrpScanner({
    ...{ chain: 'xrp', network, account, asset: 'xrp_xrp', confirmations: 1 },
    ...{ rpc: lab.urls, logger: recordingLogger(), timing: { coolDownMs: 1 } },
  });
});
beforeEach(() => lab.nodes[0]!.behave({}));
afterAll(async () => {
  await scanner.close();
  await lab.close();
});

/**
 * What the newest `count` ledgers pay, by their transactions in order, and what was asked for that.
 */
async function newest(count: number, behaviour: NodeBehaviour = {}) {
  const { index } = lab.last();
  lab.nodes[0]!.behave(behaviour);
  const blocks = await scanner.blocks({ from: index - count + 1, to: index }, watching([address]));
  return {
    txids: blocks.flatMap(({ transfers }) => transfers.map(({ txid }) => txid)),
    asked: lab.nodes[0]!.asked.filter((method) => method !== 'ledger'),
    ledgers: lab.nodes[0]!.asked.filter((method) => method === 'ledger').length,
  };
}

function paid(payments: number): string[] {
  const txids = Array.from({ length: payments }, () => lab.pay(address, 1_000_000n));
  lab.network.close();
  return txids;
}

describe('the history of our account', () => {
  test('costs one call for a ledger in which nothing changed it, and two where something did', async () => {
    await newest(1);
    lab.network.close();
    expect(await newest(1)).toEqual({ txids: [], asked: ['account_info'], ledgers: 1 });
    const txids = paid(2);
    expect(await newest(1)).toEqual({ txids, asked: ['account_info', 'account_tx'], ledgers: 1 });
  });

  test('R1: shows an hour of ledgers in four calls, and one more for each ledger with a payment', async () => {
    const { index: height, hash } = lab.last();
    lab.network.close(300);
    const txids = [...paid(1), ...paid(2)];
    lab.network.close(scanner.maxRange - 302);
    const to = lab.last().index;
    lab.nodes[0]!.behave({});
    const range = { from: height + 1, to, after: { height, hash } };
    const blocks = await scanner.blocks(range, watching([address]));
    expect(blocks.map((block) => block.height)).toEqual([height + 1, height + 301, height + 302, to]);
    expect(blocks.flatMap(({ transfers }) => transfers.map(({ txid }) => txid))).toEqual(txids);
    expect(lab.nodes[0]!.asked.toSorted()).toEqual([
      ...['account_info', 'account_tx'],
      ...['ledger', 'ledger', 'ledger', 'ledger'],
    ]);
  });

  test('is read in pages, back to the ledger before the range and no further', async () => {
    const before = paid(3);
    const txids = [...paid(2), ...paid(3)];
    const { asked, ...found } = await newest(2, { pageMost: 2 });
    expect(found).toEqual({ txids, ledgers: 2 });
    expect(asked).toEqual(['account_info', 'account_tx', 'account_tx', 'account_tx']);
    expect((await newest(3, { pageMost: 2 })).txids).toEqual([...before, ...txids]);
  });

  test('of ledgers in which others did something that names it is no change of it', async () => {
    const [txid] = paid(1);
    lab.send('payer', {
      TransactionType: 'TrustSet',
      LimitAmount: { currency: 'USD', issuer: lab.account('hot'), value: '5' },
    });
    lab.network.close();
    expect(await newest(2)).toMatchObject({ txids: [txid], asked: ['account_info', 'account_tx'] });
  });

  const listed =
    (change: (transactions: readonly Answer[]) => unknown): NonNullable<NodeBehaviour['answer']> =>
    (method, result) =>
      method === 'account_tx'
        ? { ...result, transactions: change(result.transactions as readonly Answer[]) }
        : undefined;
  test('is read whatever the order within a page', async () => {
    const txids = paid(5);
    const found = await newest(1, { answer: listed((transactions) => transactions.toReversed()) });
    expect(found).toMatchObject({ txids, ledgers: 1 });
  });

  const doubts: Readonly<Record<string, NodeBehaviour>> = {
    'leaves the newest out': { answer: listed((transactions) => transactions.slice(1)) },
    'leaves one between out': { answer: listed(([first, , ...rest]) => [first, ...rest]) },
    'leaves the oldest out': { answer: listed((transactions) => transactions.slice(0, -1)) },
    'is empty': { answer: listed(() => []) },
    'is of another ledger': {
      answer: listed((transactions) =>
        transactions.map((each) => ({ ...each, ledger_index: Number(each.ledger_index) - 1 })),
      ),
    },
    'is not validated': {
      answer: listed((transactions) => transactions.map((each) => ({ ...each, validated: false }))),
    },
    'names itself as the one before': {
      answer: listed((transactions) =>
        transactions.map((each) => {
          const changed = JSON.stringify(each).replace(
            /"PreviousTxnID":"[0-9A-F]{64}"/g,
            `"PreviousTxnID":"${String(each.hash)}"`,
          );
          return JSON.parse(
            changed.replace(/"PreviousTxnLgrSeq":\d+/g, `"PreviousTxnLgrSeq":${String(each.ledger_index)}`),
          );
        }),
      ),
    },
    'is refused': { refuse: (method) => (method === 'account_tx' ? 'lgrIdxsInvalid' : undefined) },
  };
  for (const [does, behaviour] of Object.entries(doubts))
    test(`R9: that ${does} is not believed: the ledgers are read whole`, async () => {
      const txids = paid(4);
      const { asked, ...found } = await newest(1, behaviour);
      expect(found).toEqual({ txids, ledgers: 2 });
      expect(asked).toContain('account_tx');
    });

  test('of an account that was made in the range is read from whole ledgers', async () => {
    const account = lab.account('new', 0n);
    const itsAddress = xAddress(network, { account, tag: 7 });
    const txid = lab.pay(itsAddress, 20_000_000n);
    lab.network.close();
    const { index } = lab.last();
    const other = xrpScanner({
      ...{ chain: 'xrp', network, account, asset: 'xrp_xrp', confirmations: 1 },
      ...{ rpc: lab.urls, logger: recordingLogger() },
    });
    for (const from of [index - 1, index]) {
      const blocks = await other.blocks({ from, to: index }, watching([itsAddress]));
      expect(blocks.flatMap(({ transfers }) => transfers)).toMatchObject([{ txid, units: 20_000_000n }]);
    }
    const before = await other.blocks({ from: index - 1, to: index - 1 }, watching([itsAddress]));
    expect(before).toMatchObject([{ transfers: [] }]);
    await other.close();
  });

  test('R9: of which one node tells nothing is told by another, and recorded once', async () => {
    const both = openXrpLab({ nodes: 2 });
    const account = both.account('hot');
    const paidAddress = xAddress(network, { account, tag: 9 });
    both.account('payer');
    both.network.close(20);
    const logger = recordingLogger();
    const open = () =>
      xrpScanner({
        ...{ chain: 'xrp', network, account, asset: 'xrp_xrp', confirmations: 1 },
        ...{ rpc: both.urls, logger, timing: { coolDownMs: 1 } },
      });
    const several = open();
    const blind: NodeBehaviour = {
      answer: (method, result) =>
        method === 'account_info'
          ? { ...result, account_data: { ...(result.account_data as Answer), PreviousTxnLgrSeq: 1 } }
          : undefined,
    };
    const watch = watching([paidAddress]);
    const told: ScannedBlock[] = [];
    const look = (at = several) =>
      at.late?.(both.last().index, watch, async (blocks) => {
        told.push(...blocks);
      });
    await look();
    both.nodes[0]!.behave(blind);
    const { index: height, hash } = both.last();
    const txid = both.pay(paidAddress, 1_000_000n);
    both.network.close(16);
    const range = { from: height + 1, to: both.last().index, after: { height, hash } };
    const read = await several.blocks(range, watch);
    expect(read.flatMap(({ transfers }) => transfers)).toEqual([]);
    await look();
    expect(told).toMatchObject([{ height: height + 1, transfers: [{ txid, to: paidAddress }] }]);
    expect(logger.lines.map(({ event }) => event)).toEqual(['node.payments_missing']);
    both.network.close(16);
    await look();
    expect(told).toHaveLength(1);
    // A process that makes up for an hour looks at all of that hour.
    const next = open();
    both.nodes[0]!.behave(blind);
    expect((await next.blocks(range, watch)).flatMap(({ transfers }) => transfers)).toEqual([]);
    await look(next);
    expect(told.slice(1)).toMatchObject([{ transfers: [{ txid }] }]);
    await next.close();
    await several.close();
    await both.close();
  });
});
