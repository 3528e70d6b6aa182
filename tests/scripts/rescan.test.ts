/**
 * `rescan` on a real node: a payment that the watcher passed by is found, credited once, and found
 * again without harm.
 */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anvilAvailable, startAnvil } from '../support/evm/anvil.ts';
import { runHere } from '../support/operators/run-script.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { startTestService, TEST_MASTER_KEY } from '../support/test-service.ts';

const runnable = needs('postgres', postgresAvailable()) && needs('anvil', anvilAvailable());

test.skipIf(!runnable)('a payment that was passed by is found by rescan, and credited once', async () => {
  const anvil = await startAnvil();
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-test-'));
  const file = {
    rates: { source: 'static', usd: { eth_ethereum: '4000' } },
    chains: { ethereum: { rpc: [anvil.url], chain_id: anvil.chainId, confirmations: 1 } },
    assets: { usdt_ethereum: { enabled: false }, usdc_ethereum: { enabled: false } },
  };
  const it = await startTestService({ file, dataDir });
  try {
    const configFile = join(dataDir, 'config.json');
    writeFileSync(configFile, JSON.stringify(file));
    const env = {
      DATABASE_URL: it.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: dataDir,
      CONFIG_FILE: configFile,
    };
    const wallet = await runHere('wallet', ['show', '--count', '1', '--json'], env);
    const address: string = JSON.parse(wallet.stdout).families[0].addresses[0].address;
    await it.settle();

    // paid before the address was given out: the watcher reads the block and knows nothing of it
    await anvil.rpc('eth_sendTransaction', [
      { from: anvil.accounts[0]?.address, to: address, value: '0x16345785d8a0000' },
    ]);
    await anvil.mine(3);
    const paidIn = 1;
    await it.settle();
    const merchant = await it.merchant();
    const created = await it.call(merchant.live, 'POST', '/api/v2/invoices', {
      amount: 0.1,
      asset: 'eth_ethereum',
      fee_bearer: 'merchant',
    });
    expect(created.body).toMatchObject({ ok: true });
    const invoice = created.body.result;
    expect(invoice.address_to).toBe(address);
    const status = async () =>
      (await it.call(merchant.live, 'GET', `/api/v2/invoices/${invoice.order_id}`)).body.result.status;
    await it.settle();
    expect(await status()).toBe('created');

    const args = ['--chain', 'ethereum', '--from', '0', '--to', String(paidIn + 1), '--json'];
    const found = await runHere('rescan', args, env);
    expect(JSON.parse(found.stdout)).toEqual({ chain: 'ethereum', from: 0, to: paidIn + 1, transfers: 1 });
    expect(found.stderr).toContain('ethereum: read to 2 of 2, 1 transfers found');
    await it.settle();
    expect(await status()).toBe('success');

    const audited = JSON.parse((await runHere('audit', ['list', '--json'], env)).stdout).entries;
    expect(audited).toMatchObject([
      { action: 'chain.rescanned', subject_id: 'ethereum', after: { from: 0, to: paidIn + 1 } },
    ]);

    expect((await runHere('rescan', args, env)).code).toBe(0);
    await it.settle();
    const ledger = await it.call(merchant.live, 'GET', '/api/v2/ledger');
    expect(ledger.body.pagination.total).toBe(1);
    const beyond = await runHere('rescan', ['--chain', 'ethereum', '--from', '1', '--to', '999999'], env);
    expect(beyond.code).toBe(1);
    const told = beyond.stderr.trimEnd().split('\n');
    expect(told.filter((line) => !line.startsWith('ethereum: read to '))).toHaveLength(1);
  } finally {
    await it.stop();
    await anvil.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
