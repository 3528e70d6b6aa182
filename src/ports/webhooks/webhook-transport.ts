/** Sends one webhook attempt. Never throws because of a receiver, a resolver or the network. */
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
  /** The receiver answered; `body`: the first 500 characters, without NUL. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /**
   * The URL safety rules forbid this destination; `reason` is readable by the merchant
   * (specification, "Delivery" 4).
   */
  | { readonly kind: 'refused'; readonly reason: string }
  /** No answer: connection, TLS, time-out. `reason` is readable by the merchant. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The gateway lacks something itself (sockets, its proxy): no statement about the receiver. */
  | { readonly kind: 'unsent'; readonly reason: string };
