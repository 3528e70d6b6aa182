/**
 * What the sender hands to the signer: a wallet's request, and for jettons also the code of their
 * wallets.
 */
import type { CellId } from './cell-hash.ts';
import { readRequest, type WalletRequest, writeRequest } from './wallet-request.ts';

interface Payload {
  readonly request: WalletRequest;
  /**
   * The code of the jetton's wallets. The signer computes the address of our jetton wallet from it.
   * A wrong code cannot name another jetton's wallet, since the address depends on the code.
   */
  readonly code: CellId | null;
}

/** The request in hex; for jettons, hash and depth of the code follow. */
export function writePayload({ request, code }: Payload): string {
  const written = writeRequest(request);
  return code === null ? written : `${written}.${Buffer.from(code.hash).toString('hex')}.${code.depth}`;
}

/** Null for anything that writePayload does not write. */
export function readPayload(payload: string): Payload | null {
  const [written = '', hash, depth, ...rest] = payload.split('.');
  const request = readRequest(written);
  if (request === null || rest.length > 0) return null;
  if (hash === undefined) return { request, code: null };
  if (!/^[0-9a-f]{64}$/.test(hash) || !/^\d{1,4}$/.test(depth ?? '')) return null;
  const code = { hash: Buffer.from(hash, 'hex'), depth: Number(depth) };
  return writePayload({ request, code }) === payload ? { request, code } : null;
}
