/** A mail server on this machine that keeps what it takes, and can refuse, or be away. */
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: Email;
}

export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  /** What it answers to an e-mail from now on; null takes it. */
  answer(code: number | null): void;
  stop(): Promise<void>;
}

export async function startMailServer({ tls = false } = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let answer: number | null = null;
  const server = new SMTPServer({
    authOptional: true,
    ...(tls ? {} : { disabledCommands: ['STARTTLS'] }),
    onRcptTo(_address, _session, done) {
      done(answer === null ? null : Object.assign(new Error('not taken'), { responseCode: answer }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({
          from,
          to: rcptTo.map(({ address }) => address),
          raw,
          mail: await PostalMime.parse(raw),
        });
        done();
      });
    },
  });
  // A client that gives up in the middle is no fault of a test.
  server.on('error', () => undefined);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as { port: number };
  return {
    ...{ url: `smtp://127.0.0.1:${port}?tls=none`, port, received },
    answer(code) {
      answer = code;
    },
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  };
}
