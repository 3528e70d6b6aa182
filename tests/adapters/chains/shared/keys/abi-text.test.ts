/** Text in contracts' answers, held against ethers. */
import { expect, test } from 'bun:test';
import { AbiCoder, encodeBytes32String } from 'ethers';
import { abiText } from '../../../../../src/adapters/chains/shared/keys/abi-text.ts';

const encoded = (text: string) => AbiCoder.defaultAbiCoder().encode(['string'], [text]).slice(2);

test('is read as ethers writes it, and of old tokens as 32 bytes', () => {
  for (const text of ['', 'USDT', 'USD\u20AE0', 'x'.repeat(32), 'y'.repeat(100)]) {
    expect(abiText(encoded(text))).toBe(text);
  }
  expect(abiText(encodeBytes32String('MKR').slice(2))).toBe('MKR');
});

test('is null where the answer is none, cut short, too long or no text', () => {
  const good = encoded('USDT');
  const huge = good.slice(0, 64) + 'f'.repeat(64) + good.slice(128);
  const broken = good.replace('55534454', '5553ff54');
  for (const bad of ['', '20', good.slice(0, 100), good.slice(0, 130), huge, broken, `21${good.slice(2)}`])
    expect([bad, abiText(bad)]).toEqual([bad, null]);
});
