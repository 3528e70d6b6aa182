/**
 * Seed words as typed by operators (BIP-39, English list). Faults never repeat a word: all are
 * secret, the wrong ones too.
 */

export type ReadMnemonic =
  | { readonly ok: true; readonly words: string }
  /** Completes "the words ...". */
  | { readonly ok: false; readonly fault: string };

const COUNTS: readonly number[] = [12, 15, 18, 21, 24];

/** Case and white space do not matter. */
export async function readMnemonic(text: string): Promise<ReadMnemonic> {
  const words = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean);
  if (!COUNTS.includes(words.length))
    return { ok: false, fault: `are ${words.length}: BIP-39 has 12, 15, 18, 21 or 24` };
  const { LangEn, Mnemonic } = await import('ethers');
  const list = LangEn.wordlist();
  const unknown = words.findIndex((word) => list.getWordIndex(word) < 0);
  if (unknown >= 0)
    return { ok: false, fault: `are not BIP-39: number ${unknown + 1} is not in its English list` };
  const phrase = words.join(' ');
  if (!Mnemonic.isValidMnemonic(phrase))
    return {
      ok: false,
      fault: 'are not a seed: their checksum is wrong, so one is another word or in another place',
    };
  return { ok: true, words: phrase };
}
