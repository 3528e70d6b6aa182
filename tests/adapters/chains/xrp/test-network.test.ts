/**
 * The test network keeps the ledger's rules that the tests of XRP rely on: results, signatures,
 * sequences, reserves, time.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decode, encode } from 'xrpl';
import { until } from '../../../support/runtime/poll.ts';
import { walletNamed } from '../../../support/xrp/keys.ts';
import { openXrpLab, type XrpLab } from '../../../support/xrp/lab.ts';

const XRP = 1_000_000n;

describe('the test network of XRP', () => {
  let lab: XrpLab;
  beforeAll(() => {
    lab = openXrpLab();
    for (const name of ['payer', 'shop']) lab.account(name);
  });
  afterAll(() => lab.close());

  const payment = (changes: object = {}) => ({
    ...{ TransactionType: 'Payment', Destination: lab.account('shop'), Amount: '1000' },
    ...changes,
  });

  test('takes what the account signed and nothing that was changed since', () => {
    const Account = lab.account('payer');
    const { tx_blob: blob } = walletNamed('payer').sign({
      ...payment({ Account, Fee: '10', Sequence: lab.last().world.accounts.get(Account)!.sequence }),
    } as never);
    const forged = encode({ ...decode(blob), Amount: '999' } as never);
    expect(lab.network.submit(forged)).toEqual({ code: 'temBAD_SIGNATURE', kept: false });
    const thief = walletNamed('thief').sign({ ...payment({ Account, Fee: '10', Sequence: 1 }) } as never);
    expect(lab.network.submit(thief.tx_blob).code).toBe('temBAD_SIGNATURE');
    expect(lab.network.submit('00').code).toBe('invalidTransaction');
    expect(lab.network.submit(blob)).toEqual({ code: 'tesSUCCESS', kept: true });
    expect(lab.network.submit(blob)).toEqual({ code: 'tefALREADY', kept: true });
    lab.network.close();
    expect(lab.network.submit(blob)).toEqual({ code: 'tefPAST_SEQ', kept: false });
  });

  test('counts sequences, holds what comes too early, and forgets what is too late', () => {
    const next = lab.last().world.accounts.get(lab.account('payer'))!.sequence;
    expect(lab.send('payer', payment({ Sequence: next + 1 })).code).toBe('terPRE_SEQ');
    lab.network.close();
    expect(lab.last().transactions).toHaveLength(0);
    expect(lab.send('payer', payment({ Sequence: next })).code).toBe('tesSUCCESS');
    lab.network.close();
    expect(lab.last().transactions.map(({ tx }) => tx.Sequence)).toEqual([next, next + 1]);
    expect(lab.send('payer', payment({ LastLedgerSequence: lab.last().index })).code).toBe('tefMAX_LEDGER');
    lab.network.include(() => false);
    const { code } = lab.send('payer', payment({ LastLedgerSequence: lab.last().index + 2 }));
    expect([code, lab.network.waiting.length]).toEqual(['tesSUCCESS', 1]);
    lab.network.close(2);
    expect(lab.network.waiting).toHaveLength(0);
    lab.network.include(() => true);
  });

  test('asks for its fee, and takes it for what comes to nothing', () => {
    lab.network.charge(500n);
    expect(lab.send('payer', payment({ Fee: '499' })).code).toBe('telINSUF_FEE_P');
    lab.network.charge(10n);
    const before = lab.balanceOf(lab.account('payer'));
    const { result } = lab.sendAndClose(
      'payer',
      payment({ Destination: walletNamed('nobody').classicAddress }),
    );
    expect([result, before - lab.balanceOf(lab.account('payer'))]).toEqual(['tecNO_DST_INSUF_XRP', 10n]);
    expect(lab.send('stranger', payment()).code).toBe('tesSUCCESS');
    expect(lab.send('payer', payment({ Destination: lab.account('payer') })).code).toBe('temREDUNDANT');
    lab.network.close();
  });

  test('keeps reserves, which grow with what an account owns', () => {
    const held = lab.balanceOf(lab.account('owner', 5n * XRP));
    const paying = (drops: bigint) => lab.send('owner', payment({ Amount: drops.toString() })).code;
    expect(paying(held - XRP + 1n)).toBe('tecUNFUNDED_PAYMENT');
    lab.network.drop();
    expect(paying(held - XRP)).toBe('tesSUCCESS');
    lab.network.drop();
    const LimitAmount = { currency: 'USD', issuer: lab.account('payer'), value: '1' };
    expect(lab.sendAndClose('owner', { TransactionType: 'TrustSet', LimitAmount }).result).toBe('tesSUCCESS');
    expect(paying(held - 10n - XRP - 199_999n)).toBe('tecUNFUNDED_PAYMENT');
    lab.network.drop();
    expect(paying(held - 10n - XRP - 200_000n)).toBe('tesSUCCESS');
    lab.network.close();
  });

  test('delivers in part only where the sender allows it', () => {
    const usd = (value: string) => ({ currency: 'USD', issuer: lab.account('issuer'), value });
    for (const name of ['rich', 'poor'])
      lab.sendAndClose(name, { TransactionType: 'TrustSet', LimitAmount: usd('100') });
    const to = { TransactionType: 'Payment', Destination: lab.account('rich') };
    expect(lab.sendAndClose('poor', { ...to, Amount: usd('1') }).result).toBe('tecPATH_DRY');
    lab.sendAndClose('issuer', { ...to, Destination: lab.account('poor'), Amount: usd('3') });
    expect(lab.sendAndClose('poor', { ...to, Amount: usd('5') }).result).toBe('tecPATH_PARTIAL');
    expect(lab.sendAndClose('poor', { ...to, Amount: usd('5'), Flags: 0x0002_0000 }).result).toBe(
      'tesSUCCESS',
    );
    expect(lab.last().transactions[0]?.meta.delivered_amount).toEqual(usd('3'));
  });

  test('closes ledgers by a timer, too', async () => {
    const { index } = lab.last();
    const stop = lab.network.closeEvery(5);
    await until('three ledgers closed by themselves', 20_000, async () => lab.last().index >= index + 3);
    stop();
  });
});
