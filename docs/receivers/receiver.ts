import { verifyWebhook, WebhookError } from 'quittance';

const webhookSecret = process.env.WEBHOOK_SECRET ?? '';

Bun.serve({
  hostname: '127.0.0.1',
  port: 9000,
  async fetch(request) {
    try {
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, { webhookSecret });
      console.log(event.order_id, event.status);
      return new Response('ok');
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return new Response(error.message, { status: 401 });
    }
  },
});
