/**
 * What a transaction of Solana has in full, which was read once, and in the form that is read:
 * recorded ones of the main network.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountsForm } from '../tests/support/solana/accounts-form.ts';

const RECORDED = join(import.meta.dir, '..', 'tests', 'adapters', 'chains', 'solana', 'recorded-blocks');

/** A paragraph of bench/results.md. */
export function solanaForms(): string {
  const all = readdirSync(RECORDED).map((name) => JSON.parse(readFileSync(join(RECORDED, name), 'utf8')));
  const [full, read] = [sizes(all), sizes(all.map(accountsForm))];
  const share = (of: number): string => `${Math.round((100 * read.packed) / of)} %`;
  return `Bytes of Solana on the wire: ${all.length} recorded transactions, without their logs, have ${full.plain.toLocaleString('en')} bytes in full and ${read.plain.toLocaleString('en')} as they are read; by gzip ${full.packed.toLocaleString('en')} and ${read.packed.toLocaleString('en')}. So what is read now comes compressed in ${share(full.plain)} of the full form, and in ${share(full.packed)} of the full form where that came compressed, too: the client asked for it before as well. A fifth of what was read is reached against uncompressed answers of whole blocks only, see docs/chains/solana.md.`;
}

function sizes(transactions: readonly object[]): { readonly plain: number; readonly packed: number } {
  const text = Buffer.from(JSON.stringify(transactions));
  return { plain: text.byteLength, packed: Bun.gzipSync(text).byteLength };
}
