/** E-mail by SMTP, through nodemailer, which is loaded for the first one: it takes 20 MB. */
import type { Transporter } from 'nodemailer';
import type { Mailer } from '../../ports/mails/mailer.ts';
import type { Logger } from '../../ports/runtime/logger.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: required after the greeting. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string | null;
  readonly password: string | null;
  /** Sender of every e-mail. */
  readonly from: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** The server's answers from 500 on are final (RFC 5321, 4.2.1). */
const FINAL_FROM = 500;

export function smtpMailer(settings: SmtpSettings, { logger }: { readonly logger: Logger }): Mailer {
  const { host, from } = settings;
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return {
    async send({ id, to, replyTo, subject, text, html, attachments }) {
      try {
        const transport = await openTransport(settings);
        await transport.sendMail({
          ...{ from, to: { name: '', address: to }, subject, text, html },
          messageId: `<${id}@${domain}>`,
          ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
          headers: { 'auto-submitted': 'auto-generated' },
          attachments: attachments.map(({ name, type, bytes }) => ({
            ...{ filename: name, contentType: type, content: Buffer.from(bytes) },
          })),
        });
        return 'sent';
      } catch (error) {
        const code = responseCodeOf(error);
        logger.warn('mail.not_sent', { mailId: id, host, code, reason: reasonOf(error) });
        return code !== null && code >= FINAL_FROM ? 'refused' : 'unreachable';
      }
    },
  };
}

/** It keeps no connection. */
async function openTransport({ host, port, security, user, password }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls' },
    ignoreTLS: security === 'none',
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // The content is ours: it never names files or URLs to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * The answer of the server to the recipient or the content; null where it did not come so far. A
 * refused password or sender concerns the gateway, and not this e-mail.
 */
function responseCodeOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const { responseCode, code, command } = error as {
    readonly [Name in 'responseCode' | 'code' | 'command']?: unknown;
  };
  const isAboutIt = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
  return isAboutIt && typeof responseCode === 'number' ? responseCode : null;
}

/** Without what the server repeats of the e-mail. */
function reasonOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return code === '' ? 'unknown' : code;
}
