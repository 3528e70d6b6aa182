/** The Monero scanner keeps the scanner's contract on a real daemon and wallet. */
import { afterAll, beforeAll, describe } from 'bun:test';
import { moneroDeriver } from '../../../../src/adapters/chains/monero/deriver.ts';
import { moneroScanner } from '../../../../src/adapters/chains/monero/scanner.ts';
import { describeChainScanner } from '../../../contracts/chains/chain-scanner.ts';
import { watchingNobody } from '../../../support/chains/watch-list.ts';
import {
  MERCHANT,
  type MoneroLab,
  OPENING_MS,
  openMoneroLab,
  scannerOptions,
} from '../../../support/monero/monero-lab.ts';
import { moneroAvailable } from '../../../support/nodes/monero.ts';
import { behindPlan } from '../../../support/providers/behind-plan.ts';
import { PUBLIC_MONEROD } from '../../../support/providers/plans.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { openTcpRelay } from '../../../support/webhooks/tcp-relay.ts';

describe.skipIf(!needs('monerod', moneroAvailable()))('on monerod and monero-wallet-rpc', () => {
  let lab: MoneroLab;
  beforeAll(async () => {
    lab = await openMoneroLab({ pays: true });
    // The wallet's first hundreds of addresses take a busy machine as long as a test may take.
    const first = moneroScanner(scannerOptions(lab));
    await first.pending(watchingNobody);
    await first.close();
  }, OPENING_MS);
  afterAll(() => lab.stop());

  // Nodes of one's own are read in the other tests.
  describeChainScanner(`monero, behind ${PUBLIC_MONEROD.name}`, async () => {
    const relay = await openTcpRelay({ host: '127.0.0.1', port: lab.daemon.port });
    const deriver = moneroDeriver(MERCHANT);
    let addressesUsed = 0;
    const options = { ...scannerOptions(lab), ...behindPlan(PUBLIC_MONEROD) };
    const url = `http://127.0.0.1:${relay.port}`;
    const scanner = moneroScanner({ ...options, rpc: [url] });
    return {
      scanner,
      several: moneroScanner({ ...options, rpc: [url, url] }),
      shows: 'its transaction',
      confirmations: options.confirmations,
      assets: [options.asset],
      showsPending: true,
      unknownTxid: 'f'.repeat(64),
      freshAddress: () => deriver.derive({ from: addressesUsed++, count: 1 })[0]!,
      pay: ({ to, units }) => lab.pay(to, units),
      mine: async (count) => {
        await lab.mine(count);
      },
      reorg: (depth) => lab.reorg(depth),
      outage: async (on) => {
        relay.mode = on ? 'refusing' : 'passing';
        if (on) relay.cut();
      },
      close: async () => {
        await scanner.close();
        relay.close();
      },
    };
  });
});
