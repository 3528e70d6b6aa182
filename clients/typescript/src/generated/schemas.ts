/** Made by `bun run docs` from the OpenAPI document. */
import type { Decimal } from '../types.ts';

export interface components {
    schemas: {
        Invoice: {
            /** @description Invoice id */
            order_id: string;
            /** @description Public checkout id (UUID); told when the invoice is created and in webhooks */
            external_id: string | null;
            /** @enum {string|null} */
            status: "created" | "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "expired" | "cancelled" | "refunded" | null;
            /** @description Chosen asset key */
            asset: string | null;
            /** @description Asset requested at creation, or the first one chosen */
            initial_asset: string | null;
            /** @enum {string|null} */
            type: "native" | "token" | null;
            /** @description What the customer owes, in `asset` */
            amount: Decimal | null;
            initial_amount: Decimal | null;
            /** @description Paid so far, in `fiat_currency` */
            fiat_amount: Decimal | null;
            /** @description Requested, in `fiat_currency` */
            initial_fiat_amount: Decimal | null;
            fiat_currency: string | null;
            /** @enum {string|null} */
            billing_type: "STATIC" | "VARY" | null;
            /** @description Deposit address (XRP: the X-address) */
            address_to: string | null;
            /** @description XRP: the account in `address_to`, for wallets that ask for it and a tag */
            address_classic: string | null;
            /** @description XRP: the destination tag in `address_to`; never to be left out */
            address_tag: number | null;
            /** @description Sender of the last on-chain payment */
            address_from: string | null;
            extra: string | null;
            title: string | null;
            description: string | null;
            /** @description Until then payments are accepted */
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
            /** @description Received on-chain, in `asset` */
            received_amount: Decimal | null;
            /** @description Last on-chain payment */
            txid: string | null;
            /** @description Unix seconds */
            created_at: number | null;
            /** @description Last change of what is shown here */
            updated_at: number | null;
            /** @description Terminal transition */
            processed_at: number | null;
            /** @description Hosted checkout */
            payment_url: string | null;
        };
        DeliveryReport: {
            url: string | null;
            delivered: boolean;
            /** @description Answer of the receiver, when there was one */
            status_code: number | null;
            error: string | null;
        };
        Payout: {
            /** @description Payout id */
            order_id: string;
            address: string;
            /** @description As requested, in `currency` */
            amount: Decimal;
            /** @description Asset key */
            currency: string;
            /** @description Network fee charged, in `currency`. Of a payout that failed: what the network took for its transaction, or 0 */
            fee: Decimal;
            /** @description The same in USD */
            fee_usd: Decimal;
            /** @description Tron energy */
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
            /** @description Last change of what is shown here */
            updated_at: number;
            /** @description Unix seconds */
            processed_at: number | null;
            txid: string | null;
            /** @description Every transaction that was broadcast for it */
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
        Balance: {
            /** @description total_income - total_payouts - refunds, in USD */
            available: Decimal;
            /** @description USD */
            total_income: Decimal;
            /** @description USD; pending ones count, failed ones come back */
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
            /** @description True where the amount is what the network took for a transaction without effect; left out elsewhere */
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
            /** @description The gateway's operator who ordered it; null in the sandbox's simulator */
            ordered_by: string | null;
            /** @description Unix seconds */
            created_at: number;
            /** @description True where the amount is what the network took for a transaction without effect; left out elsewhere */
            network_fee?: boolean;
        };
        LedgerEntry: components["schemas"]["IncomeEntry"] | components["schemas"]["PayoutEntry"] | components["schemas"]["RefundEntry"];
        Asset: {
            /** @description Key */
            asset: string;
            chain: string;
            /** @description Usable with this key */
            enabled: boolean;
            /** @description Least invoice amount with this key, in the asset, at the current rate; 0 while no rate is known */
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
            /** @description Number of the event (GET /events); null for test deliveries, and of before events were numbered */
            event_seq: number | null;
            url: string;
            /** @description Null when no answer came */
            status_code: number | null;
            /** @description First 500 characters of the answer, or why there was none */
            response_body: string | null;
            /** @description From 1 */
            attempt: number;
            /** @description Unix seconds */
            sent_at: number;
        };
        InvoiceWebhook: {
            /** @description Invoice id */
            order_id: string;
            /** @description Public checkout id (UUID); told when the invoice is created and in webhooks */
            external_id: string | null;
            /** @enum {string} */
            status: "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "cancelled";
            /** @description Chosen asset key */
            asset: string | null;
            /** @description Asset requested at creation, or the first one chosen */
            initial_asset: string | null;
            /** @enum {string|null} */
            type: "native" | "token" | null;
            /** @description What the customer owes, in `asset` */
            amount: Decimal | null;
            initial_amount: Decimal | null;
            /** @description Paid so far, in `fiat_currency` */
            fiat_amount: Decimal | null;
            /** @description Requested, in `fiat_currency` */
            initial_fiat_amount: Decimal | null;
            fiat_currency: string | null;
            /** @enum {string|null} */
            billing_type: "STATIC" | "VARY" | null;
            /** @description Deposit address (XRP: the X-address) */
            address_to: string | null;
            /** @description XRP: the account in `address_to`, for wallets that ask for it and a tag */
            address_classic: string | null;
            /** @description XRP: the destination tag in `address_to`; never to be left out */
            address_tag: number | null;
            /** @description Sender of the last on-chain payment */
            address_from: string | null;
            extra: string | null;
            title: string | null;
            description: string | null;
            /** @description Until then payments are accepted */
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
            /** @description Received on-chain, in `asset` */
            received_amount: Decimal | null;
            /** @description Last on-chain payment */
            txid: string | null;
            /** @description Unix seconds */
            created_at: number | null;
            /** @description Last change of what is shown here */
            updated_at: number | null;
            /** @description Terminal transition */
            processed_at: number | null;
            /** @description Hosted checkout */
            payment_url: string | null;
            /** @description true in the sandbox, absent otherwise */
            sandbox?: boolean;
            /** @description Number within your events. A replay repeats the latest of its invoice; null where that has none */
            event_seq: number | null;
        };
        PayoutWebhook: {
            /** @description Payout id */
            order_id: string;
            address: string;
            /** @description As requested, in `currency` */
            amount: Decimal;
            /** @description Asset key */
            currency: string;
            /** @description Network fee charged, in `currency`. Of a payout that failed: what the network took for its transaction, or 0 */
            fee: Decimal;
            /** @description The same in USD */
            fee_usd: Decimal;
            /** @description Tron energy */
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
            /** @description Last change of what is shown here */
            updated_at: number;
            /** @description Unix seconds */
            processed_at: number | null;
            txid: string | null;
            /** @description Every transaction that was broadcast for it */
            tx_hashes: string[] | null;
            /** @enum {string} */
            event: "payout.processing" | "payout.success" | "payout.failed" | "payout.cancelled";
            /** @description true in the sandbox, absent otherwise */
            sandbox?: boolean;
            /** @description Number within your events. A replay repeats the latest of its invoice; null where that has none */
            event_seq: number | null;
        };
        Event: {
            /** @description Dense, from 1: whoever has read up to a number never meets a smaller one later */
            seq: number;
            /** @enum {string} */
            type: "invoice.confirming" | "invoice.partially_paid" | "invoice.paid_over" | "invoice.success" | "invoice.failed" | "invoice.high_risk" | "invoice.cancelled" | "payout.processing" | "payout.success" | "payout.failed" | "payout.cancelled";
            /** @description Unix seconds */
            created_at: number;
            data: components["schemas"]["InvoiceWebhook"] | components["schemas"]["PayoutWebhook"];
        };
        Replayed: {
            /** @description Webhooks that were queued */
            queued: number;
            /** @description Number of the last event that was looked at */
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
            /** @description Give it as `after` to go on. Less than your `after` only where that is past the last number */
            next_after: number;
            has_more: boolean;
        };
        CreateInvoiceBody: {
            /** @description In `fiat_currency`; in `asset` when an asset and no fiat currency is given; in USD when neither is. Read exactly; more decimals than the currency has are refused. */
            amount: Decimal | string;
            /**
             * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB.
             * @example USD
             */
            fiat_currency?: string | null;
            /**
             * @description Asset key such as `usdt_tron`, or a short form. Omitted: the customer chooses on the checkout.
             * @example usdt_tron
             */
            asset?: string | null;
            /**
             * @description Chain of a bare ticker given as `asset`.
             * @example tron
             */
            chain?: string | null;
            /**
             * @description Your own reference.
             * @example order-1001
             */
            extra?: string | null;
            /**
             * @description Where webhooks of this invoice go.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
            /** @description Seconds until the invoice expires; 3600 unless given. */
            ttl?: number | string | null;
            /** @description Anything of yours, at most 16 KiB as JSON; answered as given. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            title?: string | null;
            description?: string | null;
            /** @description Percent of `amount` that may be missing. */
            underpay_tolerance?: Decimal | string | null;
            /** @description Assets the customer may choose from. */
            accepted_coins?: string[] | null;
            /** @description Assets the customer may not choose. */
            excluded_coins?: string[] | null;
            /**
             * @description Where the checkout sends the customer after payment.
             * @example https://shop.example/return
             */
            on_paid_url?: string | null;
            /**
             * @description Where the checkout sends the customer who gives up.
             * @example https://shop.example/return
             */
            on_cancel_url?: string | null;
            /** @description Percent added to the price. */
            price_modifier?: Decimal | string | null;
            /** @description What you know of the payer, at most 16 KiB as JSON. */
            payer_info?: ({
                email?: string;
                name?: string;
                ip?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description STATIC (default) expects exactly `amount`; VARY is an open top-up and needed for permanent addresses.
             * @enum {string|null}
             */
            billing_type?: "STATIC" | "VARY" | null;
            /**
             * @description Who pays the commission; your own default unless given.
             * @enum {string|null}
             */
            fee_bearer?: "merchant" | "client" | null;
            /** @description Bind the invoice to the permanent address of (`user_id`, family of the asset). */
            permanent_address?: boolean | null;
            /**
             * @description Your user; required with `permanent_address`.
             * @example user-42
             */
            user_id?: string | null;
            /**
             * @description Shape and signature of this invoice's webhooks: native_v2 unless given, or that of a provider whose receiver you keep.
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
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
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
            /** @description Only invoices with this reference of yours. */
            extra?: string;
            /** @description Only invoices that a payment of this transaction reached, the last one or an earlier one. */
            txid?: string;
            /** @description Only invoices that are, or were before another choice, to be paid at this address. */
            address?: string;
            /** @description Only invoices at the permanent addresses of this user. */
            user_id?: string;
            /** @description Only what was changed at this time or later (`updated_at`), inclusive. For catching up: a range with very many changes may be LIST_TOO_SLOW, and is read as CSV. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
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
             * @description Status to drive the invoice into.
             * @enum {string}
             */
            status: "success" | "partially_paid" | "paid_over" | "expired" | "cancelled" | "failed" | "refunded";
            /**
             * @description Paid, in the invoice's fiat currency. Default: all for success, half for partially_paid, 125 % for paid_over.
             * @example 12.5
             */
            paid_amount?: Decimal | string | null;
            /** @description Deliver the webhook of this transition; true unless given. */
            send_webhook?: boolean | null;
            /**
             * @description Destination of this call only.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
        };
        CreatePayoutResult: {
            order_id: string;
        };
        CreatePayoutBody: {
            /**
             * @description Destination address on the chain of `asset`.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             */
            address: string;
            /** @description In `asset`, or in `fiat_currency` when a fiat is named. Read exactly; excess decimals are refused. */
            amount: Decimal | string;
            /**
             * @description Asset key such as `usdt_ethereum`, or a short form.
             * @example usdt_ethereum
             */
            asset: string;
            /**
             * @description Chain of a bare ticker given as `asset`.
             * @example ethereum
             */
            chain?: string | null;
            /**
             * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB: the amount is converted at the current rate. `native` or omitted: the amount is in the asset.
             * @example native
             * @example USD
             */
            fiat_currency?: string | null;
            /** @description Your own reference. */
            ref?: string | null;
            /**
             * @description merchant (default): the network fee is charged on top. client: it is taken out of what is sent.
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
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
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
            /** @description Only payouts with this reference of yours. */
            ref?: string;
            /** @description Only payouts for which this transaction was broadcast. */
            txid?: string;
            /** @description Only payouts to this address, as it was given, in upper or lower case. */
            address?: string;
            /** @description Only what was changed at this time or later (`updated_at`), inclusive. For catching up: a range with very many changes may be LIST_TOO_SLOW, and is read as CSV. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            updated_from?: string;
        };
        CreatePayoutBatchResult: {
            batch_id: string;
            items: {
                order_id: string | null;
                /** @enum {string} */
                status: "pending" | "processing" | "success" | "failed" | "cancelled";
                /** @description Why the item failed */
                error?: string;
            }[];
        };
        CreatePayoutBatchBody: {
            items: {
                /**
                 * @description Destination address on the chain of `asset`.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                address: string;
                /** @description In `asset`, or in `fiat_currency` when a fiat is named. Read exactly; excess decimals are refused. */
                amount: Decimal | string;
                /**
                 * @description Asset key such as `usdt_ethereum`, or a short form.
                 * @example usdt_ethereum
                 */
                asset: string;
                /**
                 * @description Chain of a bare ticker given as `asset`.
                 * @example ethereum
                 */
                chain?: string | null;
                /**
                 * @description One of USD, EUR, GBP, CAD, AUD, CHF, JPY, NZD, SGD, HKD, NGN, KRW, ILS, RON, ARS, INR, IDR, MXN, MYR, TRY, PLN, BRL, THB: the amount is converted at the current rate. `native` or omitted: the amount is in the asset.
                 * @example native
                 * @example USD
                 */
                fiat_currency?: string | null;
                /** @description Your own reference. */
                ref?: string | null;
                /**
                 * @description merchant (default): the network fee is charged on top. client: it is taken out of what is sent.
                 * @enum {string|null}
                 */
                fee_bearer?: "merchant" | "client" | null;
            }[];
        };
        CreatePermanentAddressBody: {
            /**
             * @description Your user.
             * @example user-42
             */
            user_id: string;
            /**
             * @description May be left out when `asset` is given.
             * @enum {string|null}
             */
            family?: "evm" | "bitcoin" | "litecoin" | "bitcoincash" | "tron" | "solana" | "xrp" | "ton" | null;
            /**
             * @description Asset whose family is meant when `family` is left out.
             * @example usdt_tron
             */
            asset?: string | null;
            /**
             * @description Where webhooks of its deposits go.
             * @example https://shop.example/webhooks
             */
            notify_url?: string | null;
            /**
             * @description Shape and signature of the webhooks of its deposits: native_v2 unless given, or that of a provider whose receiver you keep. Taken when the address is made.
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
            /** @description Only active, or only inactive, addresses. */
            active?: boolean;
        };
        DeactivatePermanentAddressResult: {
            deactivated: boolean;
            id: string;
        };
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
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
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
            /** @description Earliest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            date_from?: string;
            /** @description Latest creation time, inclusive. ISO-8601 (UTC unless it has an offset; a date alone means the whole day) or Unix seconds. */
            date_to?: string;
            /** @description Only attempts for this invoice. */
            invoice_id?: string;
            /** @description Only attempts for this payout. */
            payout_id?: string;
        };
        TestNotificationBody: {
            /**
             * @description Your callback_url unless given.
             * @example https://shop.example/webhooks
             */
            url?: string | null;
            /**
             * @description The test looks like an invoice of this status; `success` beside a format.
             * @enum {string|null}
             */
            status?: "created" | "confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "expired" | "cancelled" | "refunded" | null;
            /**
             * @description The test looks like an invoice in this format; `native_v2` beside a status.
             * @enum {string|null}
             */
            format?: "native_v2" | "cryptomus" | "heleket" | "nowpayments" | "coinpayments" | "coinpayments_v2" | null;
        };
        ListEventsQuery: {
            /**
             * @description Only events with a greater number: the `next_after` of the answer before.
             * @default 0
             */
            after?: number;
            /**
             * @description Events per answer.
             * @default 100
             */
            limit?: number;
        };
        ReplayNotificationsBody: {
            /** @description Earliest event, inclusive. As `date_from` of lists. */
            from?: string | number | null;
            /** @description Latest event, inclusive. As `date_to` of lists. */
            to?: string | number | null;
            /** @description Only these statuses. */
            status?: ("confirming" | "partially_paid" | "paid_over" | "success" | "failed" | "high_risk" | "cancelled" | "processing")[] | null;
            /** @description Only what no receiver took: given up, or never sent since there was no URL. */
            undelivered?: boolean | null;
            /** @description To go on: the `next_after` of the answer before. */
            after?: number | string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
