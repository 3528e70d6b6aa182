/** What operators can do about a payout, as `payouts list` tells it and `payouts` does it. */
import { describe, expect, test } from 'bun:test';
import { cancelWay, PERMANENT_FAMILIES } from '../../../src/domain/catalog/family.ts';
import { operatorChoices } from '../../../src/domain/sending/operator-choices.ts';

const pending = { status: 'pending', held: null, waiting: null, sandbox: false } as const;
const processing = { ...pending, status: 'processing' } as const;
const at = new Date();
const signed = { status: 'signed', voided: false } as const;
const allocated = { status: 'allocated', voided: false } as const;

describe('what an operator can do', () => {
  test('while nothing is signed: everything, whether it has a place or not; a held one is released first', () => {
    expect(operatorChoices(pending, null, 'evm')).toEqual(['hold', 'retry', 'cancel']);
    expect(operatorChoices(pending, allocated, 'evm')).toEqual(['hold', 'retry', 'cancel']);
    const held = { ...pending, held: { code: 'signer', text: 'not signed' } } as const;
    expect(operatorChoices(held, null, 'evm')).toEqual(['release', 'cancel']);
    const merchants = { ...pending, waiting: { code: 'merchant', reason: 'it is paused', at } } as const;
    expect(operatorChoices(merchants, null, 'evm')).toEqual(['release', 'hold', 'cancel']);
  });

  test('G3: once it is signed: hurry it, or cancel it where the chain knows a way', () => {
    const choices = Object.fromEntries(
      PERMANENT_FAMILIES.map((family) => [family, operatorChoices(processing, signed, family).join(' ')]),
    );
    expect(choices).toEqual({
      evm: 'retry cancel',
      tron: 'cancel',
      solana: 'cancel',
      xrp: 'cancel',
      ton: 'cancel',
      bitcoin: 'retry cancel',
      litecoin: 'retry',
      bitcoincash: 'retry',
    });
    expect(PERMANENT_FAMILIES.filter((family) => cancelWay(family) === null)).toEqual([
      'litecoin',
      'bitcoincash',
    ]);
  });

  test('G3: one that is being cancelled is not cancelled again, and nothing is done about one that ended', () => {
    expect(operatorChoices(processing, { ...signed, voided: true }, 'evm')).toEqual(['retry']);
    expect(operatorChoices(processing, { ...signed, voided: true }, 'ton')).toEqual([]);
    expect(operatorChoices(processing, null, 'evm')).toEqual([]);
    expect(operatorChoices({ ...processing, sandbox: true }, signed, 'evm')).toEqual([]);
    for (const status of ['success', 'failed', 'cancelled'] as const)
      expect(operatorChoices({ ...pending, status }, signed, 'evm')).toEqual([]);
  });
});
