/**
 * The signer of another process, behind its Unix socket. Each order has its own connection: nothing
 * is kept that could be stale after a restart of the other process.
 */
import { connect } from 'node:net';
import { type Signer, SignerUnavailable, SigningRefused } from '../../ports/sending/signer.ts';
import {
  coldLine,
  deriveLine,
  LINE_BYTES_MAX,
  orderLine,
  readAnswer,
  type SignerAnswer,
} from './signer-wire.ts';
import { type LineReader, lineReader } from './socket-lines.ts';

/** Longer than the other side's own time-out. */
const TIMEOUT_MS = 15_000;

type FailedAnswer = Extract<SignerAnswer, { reason: string }>;

export function socketSigner(options: { path: string; timeoutMs?: number }): Signer {
  const { path, timeoutMs = TIMEOUT_MS } = options;
  const open = new Set<LineReader>();

  async function ask(question: string): Promise<Exclude<SignerAnswer, FailedAnswer>> {
    const socket = connect({ path });
    const reader = lineReader(socket, LINE_BYTES_MAX);
    open.add(reader);
    const failed = Promise.withResolvers<never>();
    const fail = (reason: string): void => failed.reject(new SignerUnavailable(`the signer ${reason}`));
    socket.once('error', (error) => fail(`cannot be reached: ${error.message}`));
    const timer = setTimeout(() => fail(`did not answer within ${timeoutMs} ms`), timeoutMs);
    try {
      socket.write(question);
      const line = await Promise.race([reader.next(), failed.promise]);
      const answer = line === null ? null : readAnswer(line);
      if (answer === null) throw new SignerUnavailable('the signer ended without an answer');
      if (answer.kind === 'refused') throw new SigningRefused(answer.reason, answer);
      if (answer.kind === 'unavailable') throw new SignerUnavailable(answer.reason);
      return answer;
    } finally {
      clearTimeout(timer);
      open.delete(reader);
      socket.destroy();
      failed.promise.catch(() => undefined);
    }
  }

  return {
    async sign(order) {
      const answer = await ask(orderLine(order));
      if (answer.kind !== 'signed') throw new SignerUnavailable('the signer returned an unexpected response');
      const { kind: _, ...signed } = answer;
      return signed;
    },
    async addresses(wanted) {
      const answer = await ask(deriveLine(wanted));
      if (answer.kind !== 'derived')
        throw new SignerUnavailable('the signer returned an unexpected response');
      return answer.addresses;
    },
    async coldAddress(of) {
      const answer = await ask(coldLine(of));
      if (answer.kind !== 'cold') throw new SignerUnavailable('the signer returned an unexpected response');
      return answer.address;
    },
    async close() {
      for (const reader of open) reader.stop();
    },
  };
}
