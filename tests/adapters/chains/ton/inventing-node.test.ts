/**
 * Two TON nodes of which the first lies about a jetton, or about a transaction, while its blocks
 * are the right ones (A3).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { beginCell, loadTransaction, storeTransaction } from '@ton/core';
import type { ChainScanner, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { openTonLab, TON, type TonLab } from '../../../support/ton/ton-lab.ts';
import { labScanner, paidTo } from '../../../support/ton/ton-scanning.ts';
import { startToncenterServer, type ToncenterServer } from '../../../support/ton/toncenter-server.ts';

let lab: TonLab;
let honest: ToncenterServer;
beforeAll(async () => {
  lab = await openTonLab();
  honest = await startToncenterServer(lab.chain);
});
beforeEach(() => lab.server.behave({}));
afterAll(async () => {
  await honest.stop();
  await lab.close();
});

/** What would be credited of the newest block: found, and agreed on by all nodes. */
async function credited(scanner: ChainScanner, to: string): Promise<readonly Transfer[]> {
  const { tip } = await scanner.head();
  const found = await paidTo(scanner, [to]);
  const agreement = await scanner.confirmWithNodes(tip, found);
  if (agreement.kind !== 'agreed') return [];
  return found.filter(({ txid }) => !agreement.disputed.some((disputed) => disputed.txid === txid));
}

interface Listed {
  readonly transactions: readonly { readonly account: string; readonly lt: string; readonly hash: string }[];
}

describe('with a first node that lies, and a second that does not', () => {
  test('a payment of one nanoton is not credited as a million TON', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: 1n });
    await lab.mine();
    const { cell, hash } = lab.last(to);
    const real = loadTransaction(cell.beginParse());
    const { inMessage } = real;
    if (inMessage?.info.type !== 'internal') throw new Error('another kind');
    const info = { ...inMessage.info, value: { coins: 1_000_000n * TON } };
    const forged = beginCell()
      .store(storeTransaction({ ...real, inMessage: { ...inMessage, info } }))
      .endCell();
    const [was, is] = [hash.toString('base64'), forged.hash().toString('base64')];
    lab.server.behave({
      answer: (method, params, result) => {
        if (method === 'getBlockTransactions') {
          const told = result as Listed;
          return {
            ...told,
            transactions: told.transactions.map((entry) =>
              entry.hash === was ? { ...entry, hash: is } : entry,
            ),
          };
        }
        if (method !== 'getTransactions' || params.hash !== was) return undefined;
        const [one] = result as [{ transaction_id: object }];
        const data = forged.toBoc().toString('base64');
        return [{ ...one, data, transaction_id: { ...one.transaction_id, hash: is } }];
      },
    });
    // The liar knows the transaction under its forged hash.
    const knowing = (async (url: string, init: { body: string }) => {
      const body =
        url === lab.server.url ? init.body.replace(JSON.stringify(is), JSON.stringify(was)) : init.body;
      return fetch(url, { ...init, body });
    }) as unknown as typeof fetch;
    const scanner = labScanner(lab, { rpc: [lab.server.url, honest.url], fetch: knowing });
    const paid = await credited(scanner, to);
    await scanner.close();
    expect(paid.map(({ units }) => units)).not.toContain(1_000_000n * TON);
  });
});
