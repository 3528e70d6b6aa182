/**
 * Payouts settled per second: from a pile of pending payouts to the last `success`, by one worker,
 * on a real node (anvil) with a block each second and two confirmations. Told for the record: there
 * is nothing to compare it with.
 */
import { type EvmLab, openEvmLab } from '../../tests/support/evm/evm-lab.ts';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';
import type { Finding } from '../harness/finding.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const PAYOUTS = 400;
const QUICK_PAYOUTS = 20;
const CONFIRMATIONS = 2;
const DEADLINE_MS = 120_000;

export const settlePayouts: Row = {
  name: 'settle-payouts',
  async run({ database, quick, rounds }) {
    const databaseUrl = await database.createDatabase('bench_settle_payouts');
    const lab = await openEvmLab();
    const service = await startTestService({
      databaseUrl,
      env: { LOG_LEVEL: 'silent' },
      file: {
        chains: {
          ethereum: { rpc: [lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS, poll_ms: 100 },
        },
        assets: { usdt_ethereum: { contract: lab.contracts.tether } },
        rates: { source: 'static', usd: { usdt_ethereum: '1', eth_ethereum: '2000' } },
      },
    });
    try {
      const key = await endowed(lab, service);
      await lab.anvil.rpc('evm_setIntervalMining', [1]);
      const rates: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        rates.push(await settled(lab, service, key, quick ? QUICK_PAYOUTS : PAYOUTS));
      return [finding(rates, quick ? QUICK_PAYOUTS : PAYOUTS)];
    } finally {
      await service.stop();
      await lab.anvil.stop();
    }
  },
};

function finding(rates: readonly number[], payouts: number): Finding {
  const { median } = spread(rates);
  return {
    what: `time for ${payouts} payouts to settle on a chain with a block each second, one worker`,
    target: null,
    unit: 's',
    measured: spread(rates.map((rate) => payouts / rate)),
    absolute: `${median.toFixed(0)} payouts/s`,
    latencies: [],
  };
}

/** A merchant with a balance, and a hot wallet that can pay it out; answers the merchant's key. */
async function endowed(lab: EvmLab, service: TestService): Promise<string> {
  await service.settle();
  const merchant = await service.merchant();
  const { body } = await service.call(merchant.live, 'POST', '/api/v2/invoices', {
    amount: 1_000_000,
    fiat_currency: 'USD',
    asset: 'usdt_ethereum',
    fee_bearer: 'merchant',
  });
  const tether = (to: string, units: bigint) =>
    lab.send({ to: lab.contracts.tether, data: lab.call('TetherLikeToken', 'transfer', [to, units]) });
  await tether(body.result.address_to, 10n ** 12n);
  const hot = service.service.dependencies.liveDerivers.get('evm')?.hotWallet() ?? '';
  await tether(hot, 10n ** 12n);
  await lab.send({ to: hot, value: 1_000n * 10n ** 18n });
  await lab.mine(CONFIRMATIONS + 2);
  await service.settle();
  return merchant.live;
}

/** Payouts per second, from the first look at the pile to the last success. */
async function settled(lab: EvmLab, service: TestService, key: string, count: number): Promise<number> {
  for (let from = 0; from < count; from += 200) {
    const items = Array.from({ length: Math.min(200, count - from) }, () => ({
      address: lab.freshAddress(),
      asset: 'usdt_ethereum',
      amount: 1,
    }));
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    await service.call(key, 'POST', '/api/v2/payouts/batch', { items }, headers);
  }
  const { unitOfWork } = service.service.dependencies;
  const began = performance.now();
  for (;;) {
    // All of a worker's jobs: what is sent is settled once the chain was read past it.
    await service.settle(1);
    const open = await unitOfWork.run((repositories) => repositories.outgoing.open('ethereum', 1));
    if (open.length === 0) break;
    if (performance.now() - began > DEADLINE_MS) throw new Error('payouts did not settle in time');
    await Bun.sleep(100);
  }
  return (count * 1000) / (performance.now() - began);
}
