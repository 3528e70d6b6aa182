/** E-mails by SMTP: what arrives, and what failures mean. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type SmtpSettings, smtpMailer } from '../../../src/adapters/mail/smtp-mailer.ts';
import type { MailMessage } from '../../../src/ports/mails/mailer.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';

const MESSAGE: MailMessage = {
  ...{ id: '0190f3a1b2c30a1b2c3d4e5f', to: 'ann@customer.example', replyTo: 'help@shop.example' },
  ...{ subject: 'Receipt: grüner Tee', text: 'Vielen Dank.\n', html: '<p>Vielen Dank.</p>' },
  attachments: [
    { name: 'receipt.pdf', type: 'application/pdf', bytes: new TextEncoder().encode('%PDF-1.7') },
  ],
};

describe('the SMTP mailer', () => {
  let server: MailServer;
  const logs: LogLine[] = [];
  beforeAll(async () => {
    server = await startMailServer();
  });
  beforeEach(() => {
    server.answer(null);
    server.received.length = 0;
    logs.length = 0;
  });
  afterAll(() => server.stop());

  const mailer = (given: Partial<SmtpSettings> = {}) =>
    smtpMailer(
      {
        ...{ host: '127.0.0.1', port: server.port, security: 'none', user: null, password: null },
        ...{ from: 'pay@gateway.example', ...given },
      },
      { logger: memoryLogger(logs) },
    );

  test('sends text, HTML and attachments, with an id of its own', async () => {
    expect(await mailer().send(MESSAGE)).toBe('sent');
    const [{ from, to, mail } = { from: '', to: [], mail: null }] = server.received;
    expect([from, to]).toEqual(['pay@gateway.example', ['ann@customer.example']]);
    expect(mail?.subject).toBe('Receipt: grüner Tee');
    expect(mail?.messageId).toBe(`<${MESSAGE.id}@gateway.example>`);
    expect(mail?.replyTo?.map(({ address }) => address)).toEqual(['help@shop.example']);
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual(['receipt.pdf']);
    expect(mail?.text?.trim()).toBe('Vielen Dank.');
    expect(mail?.html).toContain('<p>Vielen Dank.</p>');
    expect(mail?.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted' }));
  });

  test('tells final answers from those that may change', async () => {
    for (const [code, outcome] of [
      [550, 'refused'],
      [554, 'refused'],
      [450, 'unreachable'],
      [421, 'unreachable'],
    ] as const) {
      server.answer(code);
      expect([code, await mailer().send(MESSAGE)]).toEqual([code, outcome]);
    }
    expect(server.received).toEqual([]);
    expect(logs[0]).toMatchObject({ event: 'mail.not_sent', fields: { mailId: MESSAGE.id, code: 550 } });
    expect(JSON.stringify(logs)).not.toContain('ann@customer.example');
  });

  test('takes a server that is away, or without the encryption that is required, as unreachable', async () => {
    expect(await mailer({ port: 9 }).send(MESSAGE)).toBe('unreachable');
    expect(await mailer({ security: 'starttls' }).send(MESSAGE)).toBe('unreachable');
    expect(await mailer({ security: 'tls' }).send(MESSAGE)).toBe('unreachable');
    expect(server.received).toEqual([]);
  });

  test('cannot be made to add headers or recipients by what it sends', async () => {
    const hostile = {
      ...MESSAGE,
      subject: 'Tea\r\nBcc: eve@evil.example',
      replyTo: 'x@y.zz>\r\nBcc: <eve@evil.example',
    };
    await mailer().send(hostile);
    for (const { to, raw } of server.received) {
      expect(to).toEqual(['ann@customer.example']);
      expect(raw).not.toMatch(/^bcc:/im);
    }
  });
});
