/**
 * The wallet that the Monero scanner keeps in monero-wallet-rpc: made, opened again, told of every
 * address, and never a wallet that spends.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { moneroDeriver } from '../../../../src/adapters/chains/monero/deriver.ts';
import { type MoneroScannerOptions, moneroScanner } from '../../../../src/adapters/chains/monero/scanner.ts';
import {
  type ChainScanner,
  ChainUnavailable,
  type Transfer,
} from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import {
  MERCHANT,
  MERCHANT_SEED,
  type MoneroLab,
  OPENING_MS,
  openMoneroLab,
  scannerOptions,
} from '../../../support/monero/monero-lab.ts';
import { mineBlocks, moneroAvailable, startMonerod, startWalletRpc } from '../../../support/nodes/monero.ts';
import { needs } from '../../../support/runtime/needs.ts';

describe.skipIf(!needs('monerod', moneroAvailable()))('the wallet of the Monero scanner', () => {
  let lab: MoneroLab;
  const deriver = moneroDeriver(MERCHANT);
  const opened: ChainScanner[] = [];
  /** Of scanners that have none of their own. */
  const shared = recordingLogger();
  let secret = 7_000n;

  beforeAll(async () => {
    lab = await openMoneroLab({ pays: false });
  }, OPENING_MS);
  afterEach(async () => {
    for (const scanner of opened.splice(0)) await scanner.close();
  });
  afterAll(() => lab.stop());

  function open(changes: Partial<MoneroScannerOptions> = {}): ChainScanner {
    const scanner = moneroScanner({ ...scannerOptions(lab), logger: shared, ...changes });
    opened.push(scanner);
    return scanner;
  }
  async function pay(index: number) {
    const [to = ''] = deriver.derive({ from: index, count: 1 });
    secret += 1n;
    return { to, ...(await lab.mineReward({ to, secret })) };
  }
  async function paid(
    scanner: ChainScanner,
    { to, height }: { to: string; height: number },
    reservedIndexes = 0,
  ): Promise<readonly Transfer[]> {
    const watch = { ...watching([to]), reservedIndexes: async () => reservedIndexes };
    return (await scanner.blocks({ from: height, to: height }, watch)).flatMap(({ transfers }) => transfers);
  }

  test('a wallet program whose daemon is on another branch answers nothing, however long that branch is', async () => {
    const [payment, rival] = [await pay(6), await startMonerod()];
    const stray = await startWalletRpc({ daemonPort: rival.port });
    await mineBlocks(rival, MERCHANT.primaryAddress, payment.height + 3);
    const attempt = paid(open({ walletRpc: stray.url }), payment);
    await expect(attempt).rejects.toThrow(ChainUnavailable);
    await expect(attempt).rejects.toThrow(`does not have block ${payment.height}`);
    await stray.stop();
    await rival.stop();
  });

  test('it is opened again when the wallet program has lost it', async () => {
    const [scanner, payment] = [open(), await pay(0)];
    expect(await paid(scanner, payment)).toHaveLength(1);
    await lab.wallet.call('close_wallet');
    expect(await paid(scanner, payment)).toHaveLength(1);
  });

  test('it knows the address with the highest index that was reserved, and many ahead', async () => {
    const scanner = open();
    const [last, ahead] = [await pay(599), await pay(850)];
    expect(await paid(scanner, last, 600)).toHaveLength(1);
    expect(await paid(scanner, ahead, 600)).toHaveLength(1);
  });

  test('an address that it did not know when it read the block is found all the same', async () => {
    const logger = recordingLogger();
    const scanner = open({ logger });
    const payment = await pay(1_500);
    expect(await paid(scanner, payment, 600)).toEqual([]);
    expect(await paid(scanner, payment, 1_501)).toMatchObject([{ to: payment.to, units: payment.units }]);
    expect(logger.lines.map(({ event }) => event)).toEqual(['monero.rescan']);
  });

  test('a wallet of the same address that can spend is closed and not used', async () => {
    const payment = await pay(2);
    await lab.wallet.call('close_wallet');
    await lab.wallet.call('restore_deterministic_wallet', {
      filename: 'spends',
      password: '',
      seed: MERCHANT_SEED,
      restore_height: 0,
    });
    const { key } = await lab.wallet.call('query_key', { key_type: 'spend_key' });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await paid(open(), payment)).toHaveLength(1);
    await expect(lab.wallet.call('query_key', { key_type: 'spend_key' })).rejects.toThrow(/watch-only/);
  });

  test('a wallet of another address is left alone, and nothing is answered', async () => {
    const payment = await pay(3);
    await lab.wallet.call('close_wallet');
    await lab.wallet.call('create_wallet', { filename: 'other', password: '', language: 'English' });
    const scanner = open();
    await expect(paid(scanner, payment)).rejects.toThrow(/wallet of another address open/);
    await expect(scanner.unscannedAssets()).rejects.toThrow(/wallet of another address open/);
  });

  test('its file opens with no password but the one that comes from the view key', async () => {
    const { filename } = shared.lines.find(({ event }) => event === 'monero.wallet_made')!.fields;
    await lab.wallet.call('close_wallet');
    for (const password of ['', MERCHANT.viewKey])
      await expect(lab.wallet.call('open_wallet', { filename, password })).rejects.toThrow(
        /Invalid password/,
      );
  });

  test('blocks before the wallet begins are refused with what to do, and read after it was done', async () => {
    const payment = await pay(5);
    await paid(open(), payment);
    await lab.wallet.call('set_attribute', { key: 'quittance.floor', value: `${payment.height + 1}` });
    await expect(paid(open(), payment)).rejects.toThrow(/set chains.monero.start_height/);
    expect(await paid(open({ startHeight: payment.height }), payment)).toHaveLength(1);
  });

  test('a daemon of another network is never asked for a block', async () => {
    const logger = recordingLogger();
    const scanner = open({ keys: { ...MERCHANT, network: 'main' }, logger });
    await expect(scanner.head()).rejects.toThrow(/serves another chain than the network "main"/);
    expect(logger.lines.map(({ level }) => level)).toEqual(['error']);
  });

  test('programs with a login are used with it, and no message shows it', async () => {
    const payment = await pay(7);
    const locked = await startWalletRpc({ daemonPort: lab.daemon.port, login: 'gateway:open sesame' });
    const withLogin = (login: string): string => locked.url.replace('//', `//${login}@`);
    const scanner = open({ walletRpc: withLogin('gateway:open%20sesame') });
    for (let time = 0; time < 3; time++) expect(await paid(scanner, payment)).toHaveLength(1);
    await expect(paid(open({ walletRpc: locked.url }), payment)).rejects.toThrow(/wants a login/);
    const wrong = paid(open({ walletRpc: withLogin('gateway:open%20barley') }), payment);
    await expect(wrong).rejects.toThrow(/does not take this login/);
    await expect(wrong).rejects.not.toThrow(/barley/);
    await locked.stop();
  });
});
