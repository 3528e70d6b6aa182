/** Sends e-mails, and writes them. */
import type { CustomerMail } from '../../domain/mails/customer-mail.ts';

export interface Mailer {
  /** `refused`: the server will never take it. Never rejects. */
  send(message: MailMessage): Promise<'sent' | 'refused' | 'unreachable'>;
}

export interface MailMessage extends MailContent {
  /** The same at each try, so that a mailbox can show a repetition once. */
  readonly id: string;
  readonly to: string;
}

export interface MailContent {
  /** The merchant's, if it has one. */
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly {
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
  }[];
}

export interface MailWriter {
  /** Null where what it tells is not true any more. */
  write(mail: CustomerMail): Promise<MailContent | null>;
}
