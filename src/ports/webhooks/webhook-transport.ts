/** Sends one webhook attempt to a merchant's URL. Never throws for what a receiver, a resolver or the network does. */
export interface WebhookTransport {
  /** Sends `body` byte for byte as a POST. Redirects are not followed (decision 0012). */
  post(request: WebhookRequest): Promise<WebhookOutcome>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export type WebhookOutcome =
  /** The receiver answered. `body` is the first 500 characters of its answer, without NUL. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** The URL safety rules forbid this destination; `reason` is readable by the merchant (specification, "Delivery" 4). */
  | { readonly kind: 'refused'; readonly reason: string }
  /** No answer: connection, TLS, time-out. `reason` is readable by the merchant. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The gateway itself lacks something (sockets, its proxy): this says nothing about the receiver. */
  | { readonly kind: 'unsent'; readonly reason: string };
