/**
 * Screens against a list of addresses: fixed ones, and optionally a file that an operator edits
 * while the service runs. A configured file that cannot be read is `unavailable`, so that no
 * payment passes without the list.
 */
import { readFile, stat } from 'node:fs/promises';
import type { RiskScreener, RiskSubject, RiskVerdict } from '../../ports/deposits/risk-screener.ts';

/**
 * @param options.file path of a text file: one address a line, `#` starts a comment; read again
 * whenever it changed
 */
export function denyListScreener(options: { addresses: readonly string[]; file?: string }): RiskScreener {
  const fixed = new Set(options.addresses.map(canonical));
  const listed = options.file === undefined ? async () => new Set<string>() : watchedList(options.file);

  return {
    isLocal: true,
    async screen(payment): Promise<RiskVerdict> {
      const hit = hitOn(fixed, payment);
      if (hit !== null) return hit;
      let fromFile: ReadonlySet<string>;
      try {
        fromFile = await listed();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'changing';
        return { kind: 'unavailable', reason: `the deny list cannot be read (${code})` };
      }
      return hitOn(fromFile, payment) ?? { kind: 'pass' };
    },
  };
}

function hitOn(list: ReadonlySet<string>, payment: RiskSubject): RiskVerdict | null {
  if (payment.from !== null && list.has(canonical(payment.from))) {
    return { kind: 'hit', reason: 'the sender is on the deny list' };
  }
  if (list.has(canonical(payment.to))) return { kind: 'hit', reason: 'the receiver is on the deny list' };
  return null;
}

/**
 * EVM addresses differ in case only by their checksum; in other families case is part of the
 * address.
 */
function canonical(address: string): string {
  return /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address;
}

/** The present list of the file; rejects if it cannot be read or changes during the read. */
function watchedList(path: string): () => Promise<ReadonlySet<string>> {
  let known: { version: string; addresses: ReadonlySet<string> } | null = null;
  return async () => {
    const version = await versionOf(path);
    if (known?.version === version) return known.addresses;
    const addresses = new Set(addressesIn(await readFile(path, 'utf8')));
    // An editor may have written only half of the file: the next question reads it again.
    if ((await versionOf(path)) !== version) throw new Error('the file changed while it was read');
    known = { version, addresses };
    return addresses;
  };
}

async function versionOf(path: string): Promise<string> {
  const { mtimeNs, size, ino } = await stat(path, { bigint: true });
  return `${mtimeNs} ${size} ${ino}`;
}

function addressesIn(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map(canonical);
}
