/** Made by `bun run docs` from the OpenAPI document. */
import type { Decimal } from '../types.ts';

export interface components {
    schemas: {
        Invoice: {
            /** @description Invoice id */
            order_id: string;
            /** @description Public checkout id (UUID). Only in the response that creates the invoice, and in webhooks */
            external_id: string | null;
            /** @enum {string|null} */
            status: "created" | "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "expired" | "cancelled" | "refunded" | null;
            /** @description Chosen asset key */
            asset: string | null;
            /** @description Asset of the request, or the first one that the customer chose */
            initial_asset: string | null;
            /** @enum {string|null} */
            type: "native" | "token" | null;
            /** @description Amount due, in `asset` */
            amount: Decimal | null;
            initial_amount: Decimal | null;
            /** @description Paid so far, in `fiat_currency` */
            fiat_amount: Decimal | null;
            /** @description Amount of the request, in `fiat_currency` */
            initial_fiat_amount: Decimal | null;
            fiat_currency: string | null;
            /** @enum {string|null} */
            billing_type: "STATIC" | "VARY" | null;
            /** @description Deposit address (XRP: the X-address) */
            address_to: string | null;
            /** @description XRP: the account in `address_to`, for wallets that ask for account and tag */
            address_classic: string | null;
            /** @description XRP: the destination tag in `address_to`. A payment to the account needs it */
            address_tag: number | null;
            /** @description Sender of the last on-chain payment */
            address_from: string | null;
            extra: string | null;
            title: string | null;
            description: string | null;
            /** @description Payments are accepted until then */
            expires_at: number | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @enum {string|null} */
            fee_bearer: "merchant" | "client" | null;
            /** @description Percent */
            underpay_tolerance: Decimal | null;
            accepted_coins: string[] | null;
            excluded_coins: string[] | null;
            on_paid_url: string | null;
            on_cancel_url: string | null;
            notify_url: string | null;
            /** @description Percent */
            price_modifier: Decimal | null;
            /** @description Amount before `price_modifier` */
            original_amount: Decimal | null;
            payer_info: {
                [key: string]: unknown;
            } | null;
            permanent_address_id: string | null;
            user_id: string | null;
            /** @description The payment link that opened it */
            payment_link_id: string | null;
            /** @description Received on-chain, in `asset` */
            received_amount: Decimal | null;
            /** @description Transaction of the last on-chain payment */
            txid: string | null;
            /** @description Unix seconds */
            created_at: number | null;
            /** @description Last change of these fields */
            updated_at: number | null;
            /** @description Time of the final status */
            processed_at: number | null;
            /** @description Hosted checkout */
            payment_url: string | null;
        };
        DeliveryReport: {
            url: string | null;
            delivered: boolean;
            /** @description HTTP status of the receiver. Null without a response */
            status_code: number | null;
            error: string | null;
        };
        Payout: {
            /** @description Payout id */
            order_id: string;
            address: string;
            /** @description Amount of the request, in `currency` */
            amount: Decimal;
            /** @description Asset key */
            currency: string;
            /** @description Network fee that was charged, in `currency`. For a failed payout: the fee of its transaction, or 0 */
            fee: Decimal;
            /** @description The fee in USD */
            fee_usd: Decimal;
            /** @description Tron: the fee for energy, in USD */
            energy_fee_usd: Decimal | null;
            /** @enum {string} */
            fee_bearer: "merchant" | "client";
            /** @description The amount in USD when it was accepted */
            fiat_amount_usd: Decimal;
            ref: string | null;
            /** @enum {string} */
            status: "pending" | "processing" | "success" | "failed" | "cancelled";
            /** @description Unix seconds */
            created_at: number;
            /** @description Last change of these fields */
            updated_at: number;
            /** @description Unix seconds */
            processed_at: number | null;
            txid: string | null;
            /** @description Every transaction that was broadcast for the payout */
            tx_hashes: string[] | null;
        };
        PermanentAddress: {
            id: string;
            user_id: string;
            /**
             * @description One EVM address covers all EVM chains
             * @enum {string}
             */
            family: "evm" | "bitcoin" | "litecoin" | "bitcoincash" | "tron" | "solana" | "xrp" | "ton";
            address: string;
            /** @description XRP: the account in `address` */
            address_classic: string | null;
            /** @description XRP: the destination tag in `address` */
            address_tag: number | null;
            active: boolean;
            /** @description Unix seconds */
            created_at: number;
            /** @description Unix seconds */
            deactivated_at: number | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            notify_url: string | null;
            /** @enum {string} */
            webhook_format: "native_v2" | "cryptomus" | "heleket" | "nowpayments" | "coinpayments" | "coinpayments_v2";
        };
        PaymentLink: {
            id: string;
            slug: string;
            /** @description The page of the link */
            url: string;
            /** @description A QR code of the page, to print */
            qr_svg_url: string;
            /** @description The same as a PNG picture */
            qr_png_url: string;
            /** @description A button for any web page */
            button_html: string;
            /** @description A frame for pages whose origin is among the `frame_ancestors` of your brand */
            frame_html: string;
            /** @enum {string} */
            mode: "payment" | "donation" | "point_of_sale";
            title: string;
            description: string | null;
            picture_url: string | null;
            fiat_currency: string;
            /** @description In `fiat_currency`. Null: the customer enters it */
            amount: Decimal | null;
            min_amount: Decimal | null;
            max_amount: Decimal | null;
            suggested_amounts: Decimal[];
            tips: number[];
            accepted_coins: string[] | null;
            /** @description Unix seconds */
            expires_at: number | null;
            /** @description Most payments */
            stock: number | null;
            /** @description What the page asks */
            fields: string[];
            success_url: string | null;
            notify_url: string | null;
            extra: string | null;
            /** @description Seconds until an invoice of the link expires */
            ttl: number;
            active: boolean;
            /** @description Unix seconds */
            created_at: number;
            /** @description Unix seconds */
            updated_at: number;
        };
        OfferedRefund: {
            /** @description Refund id */
            id: string;
            /** @description Invoice id */
            order_id: string | null;
            /**
             * @description `open`: the customer has not said where the money goes. `confirmed`: a payout waits to be sent
             * @enum {string}
             */
            status: "open" | "confirmed" | "sent" | "paid" | "expired" | "withdrawn";
            /**
             * @description `invoice`: the invoice or a part of it. `surplus`: what was paid too much. `deposit`: a payment that belongs to no invoice
             * @enum {string}
             */
            subject: "invoice" | "surplus" | "deposit";
            /** @description Asset key */
            asset: string;
            /** @description What is given back, in `asset` */
            amount: Decimal;
            /**
             * @description Who pays the network fee
             * @enum {string}
             */
            fee_bearer: "merchant" | "client";
            /** @description What the customer gets, in `asset` */
            amount_sent: Decimal | null;
            /** @description The customer's address */
            address: string | null;
            txid: string | null;
            /** @description The checkout of the invoice leads to the refund */
            on_checkout: boolean;
            /** @description The operator who offered it. Null: you */
            ordered_by: string | null;
            /** @description Unix seconds */
            expires_at: number;
            /** @description Unix seconds */
            created_at: number;
            /** @description Unix seconds */
            updated_at: number;
            /** @description The page where the customer enters an address. Whoever has it can claim the money. Only this response contains it */
            claim_url: string;
        };
        Refund: {
            /** @description Refund id */
            id: string;
            /** @description Invoice id */
            order_id: string | null;
            /**
             * @description `open`: the customer has not said where the money goes. `confirmed`: a payout waits to be sent
             * @enum {string}
             */
            status: "open" | "confirmed" | "sent" | "paid" | "expired" | "withdrawn";
            /**
             * @description `invoice`: the invoice or a part of it. `surplus`: what was paid too much. `deposit`: a payment that belongs to no invoice
             * @enum {string}
             */
            subject: "invoice" | "surplus" | "deposit";
            /** @description Asset key */
            asset: string;
            /** @description What is given back, in `asset` */
            amount: Decimal;
            /**
             * @description Who pays the network fee
             * @enum {string}
             */
            fee_bearer: "merchant" | "client";
            /** @description What the customer gets, in `asset` */
            amount_sent: Decimal | null;
            /** @description The customer's address */
            address: string | null;
            txid: string | null;
            /** @description The checkout of the invoice leads to the refund */
            on_checkout: boolean;
            /** @description The operator who offered it. Null: you */
            ordered_by: string | null;
            /** @description Unix seconds */
            expires_at: number;
            /** @description Unix seconds */
            created_at: number;
            /** @description Unix seconds */
            updated_at: number;
        };
        Balance: {
            /** @description total_income - total_payouts - refunds, in USD */
            available: Decimal;
            /** @description USD */
            total_income: Decimal;
            /** @description USD. Includes pending payouts, and excludes failed ones */
            total_payouts: Decimal;
        };
        IncomeEntry: {
            /** @enum {string} */
            type: "income";
            /** @description Credited, in `asset` */
            amount: Decimal;
            asset: string;
            /** @description Commission, in `asset` */
            fee: Decimal | null;
            /** @description Fiat currency of the invoice */
            currency: string | null;
            /** @description Invoice id */
            reference_id: string;
            /** @description Unix seconds */
            created_at: number;
        };
        PayoutEntry: {
            /** @enum {string} */
            type: "payout";
            /** @description In `asset` */
            amount: Decimal;
            asset: string;
            status: string | null;
            /** @description Payout id */
            reference_id: string;
            /** @description Unix seconds */
            created_at: number;
            /** @description True if the amount is the network fee of a transaction without effect. Absent otherwise */
            network_fee?: boolean;
        };
        RefundEntry: {
            /** @enum {string} */
            type: "refund";
            /** @description In `asset` */
            amount: Decimal;
            asset: string;
            status: string | null;
            /** @description Invoice id */
            reference_id: string;
            /** @description The operator who ordered the refund. Null in the sandbox */
            ordered_by: string | null;
            /** @description Unix seconds */
            created_at: number;
            /** @description True if the amount is the network fee of a transaction without effect. Absent otherwise */
            network_fee?: boolean;
        };
        LedgerEntry: components["schemas"]["IncomeEntry"] | components["schemas"]["PayoutEntry"] | components["schemas"]["RefundEntry"];
        Asset: {
            /** @description Key */
            asset: string;
            chain: string;
            /** @description Usable with this key */
            enabled: boolean;
            /** @description Minimum amount of an invoice with this key, in the asset, at the current rate; 0 while no rate is known */
            min_amount: Decimal;
            network_family: string;
            symbol: string;
            /** @enum {string} */
            type: "native" | "token";
        };
        Rates: {
            /** @enum {string} */
            base: "USD" | "EUR" | "GBP" | "CAD" | "AUD" | "CHF" | "JPY" | "NZD" | "SGD" | "HKD" | "NGN" | "KRW" | "ILS" | "RON" | "ARS" | "INR" | "IDR" | "MXN" | "MYR" | "TRY" | "PLN" | "BRL" | "THB";
            rates: {
                [key: string]: string;
            };
        };
        NotificationAttempt: {
            id: string;
            /** @description Null for payouts and test deliveries */
            invoice_id: string | null;
            /** @description Null for invoices and test deliveries */
            payout_id: string | null;
            /** @description Number of the event (GET /events). Null for test deliveries, and for attempts from before events had numbers */
            event_seq: number | null;
            url: string;
            /** @description HTTP status of the receiver. Null without a response */
            status_code: number | null;
            /** @description First 500 characters of the response, or why there was none */
            response_body: string | null;
            /** @description Number of the attempt, from 1 */
            attempt: number;
            /** @description Unix seconds */
            sent_at: number;
        };
        InvoiceWebhook: {
            /** @description Invoice id */
            order_id: string;
            /** @description Public checkout id (UUID). Only in the response that creates the invoice, and in webhooks */
            external_id: string | null;
            /** @enum {string} */
            status: "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "cancelled";
            /** @description Chosen asset key */
            asset: string | null;
            /** @description Asset of the request, or the first one that the customer chose */
            initial_asset: string | null;
            /** @enum {string|null} */
            type: "native" | "token" | null;
            /** @description Amount due, in `asset` */
            amount: Decimal | null;
            initial_amount: Decimal | null;
            /** @description Paid so far, in `fiat_currency` */
            fiat_amount: Decimal | null;
            /** @description Amount of the request, in `fiat_currency` */
            initial_fiat_amount: Decimal | null;
            fiat_currency: string | null;
            /** @enum {string|null} */
            billing_type: "STATIC" | "VARY" | null;
            /** @description Deposit address (XRP: the X-address) */
            address_to: string | null;
            /** @description XRP: the account in `address_to`, for wallets that ask for account and tag */
            address_classic: string | null;
            /** @description XRP: the destination tag in `address_to`. A payment to the account needs it */
            address_tag: number | null;
            /** @description Sender of the last on-chain payment */
            address_from: string | null;
            extra: string | null;
            title: string | null;
            description: string | null;
            /** @description Payments are accepted until then */
            expires_at: number | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @enum {string|null} */
            fee_bearer: "merchant" | "client" | null;
            /** @description Percent */
            underpay_tolerance: Decimal | null;
            accepted_coins: string[] | null;
            excluded_coins: string[] | null;
            on_paid_url: string | null;
            on_cancel_url: string | null;
            notify_url: string | null;
            /** @description Percent */
            price_modifier: Decimal | null;
            /** @description Amount before `price_modifier` */
            original_amount: Decimal | null;
            payer_info: {
                [key: string]: unknown;
            } | null;
            permanent_address_id: string | null;
            user_id: string | null;
            /** @description The payment link that opened it */
            payment_link_id: string | null;
            /** @description Received on-chain, in `asset` */
            received_amount: Decimal | null;
            /** @description Transaction of the last on-chain payment */
            txid: string | null;
            /** @description Unix seconds */
            created_at: number | null;
            /** @description Last change of these fields */
            updated_at: number | null;
            /** @description Time of the final status */
            processed_at: number | null;
            /** @description Hosted checkout */
            payment_url: string | null;
            /** @description True in the sandbox, absent otherwise */
            sandbox?: boolean;
            /** @description Number of the event within your events. A replay has the latest number of its invoice, or null if there is none */
            event_seq: number | null;
        };
        PayoutWebhook: {
            /** @description Payout id */
            order_id: string;
            address: string;
            /** @description Amount of the request, in `currency` */
            amount: Decimal;
            /** @description Asset key */
            currency: string;
            /** @description Network fee that was charged, in `currency`. For a failed payout: the fee of its transaction, or 0 */
            fee: Decimal;
            /** @description The fee in USD */
            fee_usd: Decimal;
            /** @description Tron: the fee for energy, in USD */
            energy_fee_usd: Decimal | null;
            /** @enum {string} */
            fee_bearer: "merchant" | "client";
            /** @description The amount in USD when it was accepted */
            fiat_amount_usd: Decimal;
            ref: string | null;
            /** @enum {string} */
            status: "processing" | "success" | "failed" | "cancelled";
            /** @description Unix seconds */
            created_at: number;
            /** @description Last change of these fields */
            updated_at: number;
            /** @description Unix seconds */
            processed_at: number | null;
            txid: string | null;
            /** @description Every transaction that was broadcast for the payout */
            tx_hashes: string[] | null;
            /** @enum {string} */
            event: "payout.processing" | "payout.success" | "payout.failed" | "payout.cancelled";
            /** @description True in the sandbox, absent otherwise */
            sandbox?: boolean;
            /** @description Number of the event within your events. A replay has the latest number of its invoice, or null if there is none */
            event_seq: number | null;
        };
        RefundEvent: {
            /** @description Refund id */
            id: string;
            /** @description Invoice id */
            order_id: string | null;
            /**
             * @description `open`: the customer has not said where the money goes. `confirmed`: a payout waits to be sent
             * @enum {string}
             */
            status: "open" | "confirmed" | "sent" | "paid" | "expired" | "withdrawn";
            /**
             * @description `invoice`: the invoice or a part of it. `surplus`: what was paid too much. `deposit`: a payment that belongs to no invoice
             * @enum {string}
             */
            subject: "invoice" | "surplus" | "deposit";
            /** @description Asset key */
            asset: string;
            /** @description What is given back, in `asset` */
            amount: Decimal;
            /**
             * @description Who pays the network fee
             * @enum {string}
             */
            fee_bearer: "merchant" | "client";
            /** @description What the customer gets, in `asset` */
            amount_sent: Decimal | null;
            /** @description The customer's address */
            address: string | null;
            txid: string | null;
            /** @description The checkout of the invoice leads to the refund */
            on_checkout: boolean;
            /** @description The operator who offered it. Null: you */
            ordered_by: string | null;
            /** @description Unix seconds */
            expires_at: number;
            /** @description Unix seconds */
            created_at: number;
            /** @description Unix seconds */
            updated_at: number;
            /** @enum {string} */
            event: "refund.open" | "refund.confirmed" | "refund.sent" | "refund.paid" | "refund.expired" | "refund.withdrawn";
            /** @description True in the sandbox, absent otherwise */
            sandbox?: boolean;
            /** @description Number of the event within your events. A replay has the latest number of its invoice, or null if there is none */
            event_seq: number | null;
        };
        Event: {
            /** @description Counts from 1 without gaps. After you have read a number, no new event has a smaller one */
            seq: number;
            /** @enum {string} */
            type: "invoice.confirming" | "invoice.partially_paid" | "invoice.paid_over" | "invoice.success" | "invoice.failed" | "invoice.high_risk" | "invoice.cancelled" | "payout.processing" | "payout.success" | "payout.failed" | "payout.cancelled" | "refund.open" | "refund.confirmed" | "refund.sent" | "refund.paid" | "refund.expired" | "refund.withdrawn";
            /** @description Unix seconds */
            created_at: number;
            data: components["schemas"]["InvoiceWebhook"] | components["schemas"]["PayoutWebhook"] | components["schemas"]["RefundEvent"];
        };
        Replayed: {
            /** @description Webhooks that were queued */
            queued: number;
            /** @description Number of the last event that the call covered */
            next_after: number;
            has_more: boolean;
        };
        Pagination: {
            page: number;
            /** @description 0 when nothing matches */
            pages: number;
            per_page: number;
            total: number;
        };
        Onward: {
            /** @description The `after` of your next request. It is less than your `after` only if that is past the last number */
            next_after: number;
            has_more: boolean;
        };
        CreateInvoiceBody: {
            /** @description The amount in `fiat_currency`. Without it the amount is in `asset`, and without both in USD. It is read exactly: more decimals than the currency has are refused. */
            amount: Decimal | string;
            /**
             * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB.
             * @example USD
             */
            fiat_currency?: string | null;
            /**
             * @description An asset key such as `usdt_tron`, or a short form. Without it the customer chooses on the checkout.
             * @example usdt_tron
             */
            asset?: string | null;
            /**
             * @description The chain, if `asset` is a ticker only.
             * @example tron
             */
            chain?: string | null;
            /**
             * @description Your reference.
             * @example order-1001
             */
            extra?: string | null;
            /**
             * @description The URL for webhooks of this invoice.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
            /** @description Seconds until the invoice expires. Default: 3600. */
            ttl?: number | string | null;
            /** @description Your own data, at most 16 KiB as JSON. It is returned unchanged. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            title?: string | null;
            description?: string | null;
            /** @description The percentage of `amount` that may be missing. */
            underpay_tolerance?: Decimal | string | null;
            /** @description The assets that the customer may choose from. */
            accepted_coins?: string[] | null;
            /** @description The assets that the customer may not choose. */
            excluded_coins?: string[] | null;
            /**
             * @description The checkout sends the customer there after the payment.
             * @example https://shop.example/return
             */
            on_paid_url?: string | null;
            /**
             * @description The checkout links there for a customer who cancels.
             * @example https://shop.example/return
             */
            on_cancel_url?: string | null;
            /** @description The percentage that is added to the price. */
            price_modifier?: Decimal | string | null;
            /** @description Your data about the payer, at most 16 KiB as JSON. */
            payer_info?: ({
                email?: string;
                name?: string;
                ip?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description `STATIC` (default) expects exactly `amount`. `VARY` is an open top-up, and required for permanent addresses.
             * @enum {string|null}
             */
            billing_type?: "STATIC" | "VARY" | null;
            /**
             * @description Who pays the commission. Default: as configured for your account.
             * @enum {string|null}
             */
            fee_bearer?: "merchant" | "client" | null;
            /** @description Binds the invoice to the permanent address of `user_id` and the family of the asset. */
            permanent_address?: boolean | null;
            /**
             * @description Your id of the user. Required with `permanent_address`.
             * @example user-42
             */
            user_id?: string | null;
            /**
             * @description The shape and signature of this invoice's webhooks. Default: `native_v2`. The other formats are for receivers that were written for another provider.
             * @example nowpayments
             * @enum {string|null}
             */
            webhook_format?: "native_v2" | "cryptomus" | "heleket" | "nowpayments" | "coinpayments" | "coinpayments_v2" | null;
        };
        ListInvoicesQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_to?: string;
            /**
             * @description Sort key.
             * @default created_at
             * @enum {string}
             */
            sort?: "created_at" | "amount";
            /**
             * @description Direction.
             * @default desc
             * @enum {string}
             */
            order?: "asc" | "desc";
            /**
             * @description Only invoices in this status.
             * @enum {string}
             */
            status?: "created" | "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "expired" | "cancelled" | "refunded";
            /** @description Only invoices in this asset. */
            asset?: string;
            /** @description Only these invoices: ids separated by commas. At most 500. */
            order_ids?: string;
            /**
             * Format: uuid
             * @description Only the invoice of this checkout.
             */
            external_id?: string;
            /** @description Only invoices with this `extra`. */
            extra?: string;
            /** @description Only invoices that have a payment in this transaction. */
            txid?: string;
            /** @description Only invoices with this deposit address, now or before the customer chose another asset. */
            address?: string;
            /** @description Only invoices at the permanent addresses of this user. */
            user_id?: string;
            /** @description Only rows that changed at this time or later (`updated_at`). Use it to catch up. Read a range with very many changes as CSV: as a page it may be refused with `LIST_TOO_SLOW`. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            updated_from?: string;
        };
        NotifyInvoiceResult: {
            message: string;
        };
        SimulateInvoiceResult: {
            invoice: components["schemas"]["Invoice"];
            webhook: components["schemas"]["DeliveryReport"] | null;
        };
        SimulateInvoiceBody: {
            /**
             * @description The new status of the invoice.
             * @enum {string}
             */
            status: "success" | "partially_paid" | "paid_over" | "expired" | "cancelled" | "failed" | "refunded";
            /**
             * @description The amount paid, in the invoice's fiat currency. Default: all of it for `success`, half for `partially_paid`, 125 % for `paid_over`.
             * @example 12.5
             */
            paid_amount?: Decimal | string | null;
            /** @description Whether to send the webhook of this change. Default: true. */
            send_webhook?: boolean | null;
            /**
             * @description The URL for the webhook of this call only.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
        };
        CreatePayoutResult: {
            order_id: string;
        };
        CreatePayoutBody: {
            /**
             * @description The destination address on the chain of `asset`.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             */
            address: string;
            /** @description The amount in `asset`, or in `fiat_currency` if it names a currency. It is read exactly: more decimals than the currency has are refused. */
            amount: Decimal | string;
            /**
             * @description An asset key such as `usdt_ethereum`, or a short form.
             * @example usdt_ethereum
             */
            asset: string;
            /**
             * @description The chain, if `asset` is a ticker only.
             * @example ethereum
             */
            chain?: string | null;
            /**
             * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB: the amount is converted at the current rate. Without it, or with `native`, the amount is in the asset.
             * @example native
             * @example USD
             */
            fiat_currency?: string | null;
            /** @description Your reference. */
            ref?: string | null;
            /**
             * @description `merchant` (default): the network fee is added to the amount. `client`: it is deducted from the amount.
             * @enum {string|null}
             */
            fee_bearer?: "merchant" | "client" | null;
        };
        ListPayoutsQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_to?: string;
            /**
             * @description Sort key.
             * @default created_at
             * @enum {string}
             */
            sort?: "created_at" | "amount";
            /**
             * @description Direction.
             * @default desc
             * @enum {string}
             */
            order?: "asc" | "desc";
            /** @description Only payouts of this asset. */
            asset?: string;
            /** @description Only these payouts: ids separated by commas. At most 500. */
            order_ids?: string;
            /** @description Only payouts with this `ref`. */
            ref?: string;
            /** @description Only payouts that this transaction was broadcast for. */
            txid?: string;
            /** @description Only payouts whose request had this address. Upper and lower case are the same. */
            address?: string;
            /** @description Only rows that changed at this time or later (`updated_at`). Use it to catch up. Read a range with very many changes as CSV: as a page it may be refused with `LIST_TOO_SLOW`. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            updated_from?: string;
        };
        CreatePayoutBatchResult: {
            batch_id: string;
            items: {
                order_id: string | null;
                /** @enum {string} */
                status: "pending" | "processing" | "success" | "failed" | "cancelled";
                /** @description Why the item was refused */
                error?: string;
            }[];
        };
        CreatePayoutBatchBody: {
            items: {
                /**
                 * @description The destination address on the chain of `asset`.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                address: string;
                /** @description The amount in `asset`, or in `fiat_currency` if it names a currency. It is read exactly: more decimals than the currency has are refused. */
                amount: Decimal | string;
                /**
                 * @description An asset key such as `usdt_ethereum`, or a short form.
                 * @example usdt_ethereum
                 */
                asset: string;
                /**
                 * @description The chain, if `asset` is a ticker only.
                 * @example ethereum
                 */
                chain?: string | null;
                /**
                 * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB: the amount is converted at the current rate. Without it, or with `native`, the amount is in the asset.
                 * @example native
                 * @example USD
                 */
                fiat_currency?: string | null;
                /** @description Your reference. */
                ref?: string | null;
                /**
                 * @description `merchant` (default): the network fee is added to the amount. `client`: it is deducted from the amount.
                 * @enum {string|null}
                 */
                fee_bearer?: "merchant" | "client" | null;
            }[];
        };
        CreatePermanentAddressBody: {
            /**
             * @description Your id of the user.
             * @example user-42
             */
            user_id: string;
            /**
             * @description Optional if `asset` is given.
             * @enum {string|null}
             */
            family?: "evm" | "bitcoin" | "litecoin" | "bitcoincash" | "tron" | "solana" | "xrp" | "ton" | null;
            /**
             * @description An asset of the family, in place of `family`.
             * @example usdt_tron
             */
            asset?: string | null;
            /**
             * @description The URL for webhooks of its deposits.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
            /**
             * @description The shape and signature of the webhooks of its deposits. Default: `native_v2`. The other formats are for receivers that were written for another provider. The format is set when the address is created.
             * @example heleket
             * @enum {string|null}
             */
            webhook_format?: "native_v2" | "cryptomus" | "heleket" | "nowpayments" | "coinpayments" | "coinpayments_v2" | null;
            /** @description At most 16 KiB as JSON. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        ListPermanentAddressesQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
            /**
             * @description Only addresses of this family.
             * @enum {string}
             */
            family?: "evm" | "bitcoin" | "litecoin" | "bitcoincash" | "tron" | "solana" | "xrp" | "ton";
            /** @description Only addresses of this user. */
            user_id?: string;
            /** @description Only this address. */
            address?: string;
            /** @description `true`: only active addresses. `false`: only inactive ones. */
            active?: boolean;
        };
        DeactivatePermanentAddressResult: {
            deactivated: boolean;
            id: string;
        };
        CreateLinkBody: {
            /**
             * @description What is paid for.
             * @example Annual plan
             */
            title: string;
            /**
             * @description Default: `payment`. `donation`: the page says "donate". `point_of_sale`: a till.
             * @enum {string|null}
             */
            mode?: "payment" | "donation" | "point_of_sale" | null;
            /** @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB. Default: USD. */
            fiat_currency?: string | null;
            /**
             * @description The last part of its URL. Default: a random one. Not for a `point_of_sale`.
             * @example annual-plan
             */
            slug?: string | null;
            description?: string | null;
            picture?: string | null;
            amount?: Decimal | null;
            min_amount?: Decimal | null;
            max_amount?: Decimal | null;
            suggested_amounts?: (Decimal | string)[] | null;
            /** @description Tips in percent that a `point_of_sale` offers. */
            tips?: (number | string)[] | null;
            accepted_coins?: string[] | null;
            expires_at?: (string | number) | null;
            stock?: number | null;
            /** @description What the page asks. `name` and `email` must be filled in then. They are in `payer_info`. */
            fields?: ("name" | "email" | "note")[] | null;
            success_url?: string | null;
            notify_url?: string | null;
            extra?: string | null;
            /** @description Seconds until an invoice of the link expires. Default: 3600. */
            ttl?: number | string | null;
            /** @description Whether the link takes payments. Default: true. */
            active?: boolean | null;
        };
        ListLinksQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
        };
        ChangeLinkBody: {
            /**
             * @description What is paid for.
             * @example Annual plan
             */
            title?: string | null;
            description?: string | null;
            picture?: string | null;
            amount?: Decimal | null;
            min_amount?: Decimal | null;
            max_amount?: Decimal | null;
            suggested_amounts?: (Decimal | string)[] | null;
            /** @description Tips in percent that a `point_of_sale` offers. */
            tips?: (number | string)[] | null;
            accepted_coins?: string[] | null;
            expires_at?: (string | number) | null;
            stock?: number | null;
            /** @description What the page asks. `name` and `email` must be filled in then. They are in `payer_info`. */
            fields?: ("name" | "email" | "note")[] | null;
            success_url?: string | null;
            notify_url?: string | null;
            extra?: string | null;
            /** @description Seconds until an invoice of the link expires. Default: 3600. */
            ttl?: number | string | null;
            /** @description Whether the link takes payments. Default: true. */
            active?: boolean | null;
        };
        CreateRefundBody: {
            /** @description A part, in the asset that was paid. Without it everything that you were credited and that was not refunded yet. */
            amount?: Decimal | string | null;
            /** @description Only what was paid too much. The invoice keeps its status. Without it the invoice becomes `refunded`. */
            only_surplus?: boolean | null;
            /**
             * @description Who pays the network fee. Default: `client`, who then gets that much less.
             * @enum {string|null}
             */
            fee_bearer?: "merchant" | "client" | null;
            /** @description Whether the checkout of the invoice leads to the refund. Default: false. */
            on_checkout?: boolean | null;
            /** @description Whether to send the link to the `email` of `payer_info`, if the gateway sends e-mails. Default: false. */
            send_email?: boolean | null;
            /** @description Days until the refund expires. Default: 14. */
            expires_in_days?: number | string | null;
        };
        ListRefundsResult: components["schemas"]["Refund"][];
        ListLedgerQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_to?: string;
            /**
             * @description Only entries of this type.
             * @enum {string}
             */
            type?: "income" | "payout" | "refund";
        };
        ListAssetsResult: components["schemas"]["Asset"][];
        GetRatesQuery: {
            /**
             * @description Fiat currency of the rates.
             * @default USD
             * @enum {string}
             */
            base?: "USD" | "EUR" | "GBP" | "CAD" | "AUD" | "CHF" | "JPY" | "NZD" | "SGD" | "HKD" | "NGN" | "KRW" | "ILS" | "RON" | "ARS" | "INR" | "IDR" | "MXN" | "MYR" | "TRY" | "PLN" | "BRL" | "THB";
            /** @description Only these assets: keys separated by commas. */
            assets?: string;
        };
        ListNotificationsQuery: {
            /**
             * @description Page, from 1. A page past the end is empty.
             * @default 1
             */
            page?: number;
            /**
             * @description Rows per page.
             * @default 20
             */
            per_page?: number;
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC without an offset; a date alone is the whole day) or Unix seconds. */
            date_to?: string;
            /** @description Only attempts for this invoice. */
            invoice_id?: string;
            /** @description Only attempts for this payout. */
            payout_id?: string;
        };
        TestNotificationBody: {
            /**
             * @description The URL to send to. Default: your `callback_url`.
             * @example https://shop.example/webhooks
             */
            url?: string | null;
            /**
             * @description The test looks like an invoice with this status. Default with `format`: `success`.
             * @enum {string|null}
             */
            status?: "created" | "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "expired" | "cancelled" | "refunded" | null;
            /**
             * @description The test looks like an invoice in this format. Default with `status`: `native_v2`.
             * @enum {string|null}
             */
            format?: "native_v2" | "cryptomus" | "heleket" | "nowpayments" | "coinpayments" | "coinpayments_v2" | null;
        };
        ListEventsQuery: {
            /**
             * @description Only events with a greater number: the `next_after` of the previous response.
             * @default 0
             */
            after?: number;
            /**
             * @description Events per response.
             * @default 100
             */
            limit?: number;
        };
        ReplayNotificationsBody: {
            /** @description Earliest event, inclusive. Format: as `date_from` of lists. */
            from?: string | number | null;
            /** @description Latest event, inclusive. Format: as `date_to` of lists. */
            to?: string | number | null;
            /** @description Only these statuses. */
            status?: ("confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "cancelled" | "processing")[] | null;
            /** @description Only undelivered events: their webhook failed for good, or was never sent because there was no URL. */
            undelivered?: boolean | null;
            /** @description Goes on after this number: the `next_after` of the previous response. */
            after?: number | string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
