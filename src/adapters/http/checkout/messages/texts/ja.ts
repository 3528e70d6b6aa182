/** The checkout's texts in Japanese. */
import type { Messages } from '../message-keys.ts';

export const JA: Messages = {
  nativeName: '日本語',
  payment: 'お支払い',
  language: '言語',
  secured: '{name} を利用しています',
  refresh: '状況を更新',

  amountDue: 'お支払い金額',
  amountSuggested: '推奨金額',
  amountAny: '{least} 以上の任意の金額を送金できます。それ未満の金額は入金として扱われません。',
  amountPaid: '受領済み',
  amountOver: '超過額',
  amountWasDue: '請求されていた金額',
  amountSettled: '支払い済み',
  amountRefunded: '返金済み',
  itemOrder: 'ご注文',
  itemDiscount: '割引',
  itemSurcharge: '追加料金',
  itemFee: '決済手数料',
  itemTotal: '合計',
  rateHeld: '{rate}（レート固定、{until}）',
  orderReference: '注文番号',
  contactTitle: '{merchant} へのお問い合わせ',
  terms: '販売条件',

  chooseTitle: '通貨を選択してください',
  chooseText: '選択した時点で金額が確定します。',
  waitingTitle: 'お支払いをお待ちしています',
  waitingText: '入金が確認され次第、ここに表示されます。',
  seenLate:
    '現在、{network} での入金の検出が遅れています。すでにお支払い済みの場合は、再度送金しないでください。まもなくここに表示されます。',
  seenTitle: '入金を検出しました',
  seenText: 'ネットワークが承認中です。これ以上の操作は必要ありません。',
  seenPartText:
    '金額の一部が送金中です。承認後に時間が残っていれば、残額のお支払い方法がここに表示されます。',
  seenPartLateText: '金額の一部が送金中ですが、支払い期限を過ぎました。販売者にお問い合わせください。',
  partialTitle: '一部の入金を確認しました',
  partialText: '残りの金額を同じアドレスに送金してください。',
  paidTitle: '支払い済み',
  paidText: 'ありがとうございます。販売者に通知しました。',
  overText:
    'ありがとうございます。請求額より多くお支払いいただきました。差額については販売者にお問い合わせください。',
  expiredTitle: 'この請求は期限切れです',
  expiredText: '送金しないでください。販売者に新しい請求を依頼してください。',
  lateTitle: '期限を過ぎました',
  lateText: '金額の一部しか届いていません。販売者にお問い合わせください。',
  reviewTitle: 'お支払いを確認中です',
  reviewText: '入金は届いており、現在確認しています。販売者からご連絡します。',
  failedTitle: 'お支払いは成立しませんでした',
  failedText:
    'ネットワークで処理されませんでした。ウォレットから送金済みの場合は、販売者にお問い合わせください。',
  refundedTitle: '返金済み',
  refundedText: '販売者がこのお支払いを返金しました。',
  paidLateTitle: 'すでにお支払い済みですか？',
  paidLateText:
    '送金済みであれば、販売者が確認できます。ウォレットに表示されるトランザクション ID を添えてお問い合わせください。',

  timeLeft: '残り時間',
  untilDate: '{time} まで',
  untilTime: '{time} まで',
  minutesLeft: { other: 'お支払い期限まであと {n} 分です。' },

  sendExactly: '送金額（ちょうど）',
  stillToSend: '残りの送金額',
  receivedSoFar: 'これまでの受領額：{amount}',
  toAddress: '送金先アドレス（{network}）',
  withTag: '宛先タグ（destination tag）',
  tagNeeded: 'タグがないと、お支払いを確認できません。',
  orXAddress: 'X アドレスに対応したウォレットを使う',
  xAddress: 'X アドレス（アドレスとタグを含みます）',
  copy: 'コピー',
  copied: 'コピーしました',
  scan: 'ウォレットで読み取ってください',
  showQr: 'QR コードを表示',
  qrLabel: 'このお支払いの QR コード：{network} で {amount}',
  openWallet: 'ウォレットで開く',
  onlyNetwork:
    '{network} ネットワークで {symbol} だけを送金してください。それ以外は失われるおそれがあります。',
  feeOnTop: 'ネットワーク手数料は別途必要です。この金額がちょうど届くようにしてください。',
  noMemo: 'コメントやメモは不要です。このアドレスはこのお支払い専用です。',

  change: '通貨を変更',
  search: '通貨またはネットワークを検索',
  noMatch: '該当するものがありません。',
  feeAbout: 'ネットワーク手数料 約 {fee}',
  feeUnder: 'ネットワーク手数料 {fee} 未満',
  noCurrency:
    '現在利用できる通貨がありません。しばらくしてからもう一度お試しいただくか、販売者にお問い合わせください。',

  payments: { other: 'お支払い' },
  inMempool: '検出済み、最初のブロックを待っています',
  confirmationsOf: { other: '{n}/{m} 承認' },
  confirmationsSoFar: { other: '承認中：現在 {n} 承認' },
  confirmed: '承認済み',
  viewTransaction: 'トランザクションを見る',
  newTab: '（新しいタブで開きます）',
  transactionId: 'トランザクション ID',

  testTitle: 'テスト請求です。',
  testWarning: '実際の資金を送らないでください。失われます。',
  simulate: '支払いをシミュレート',
  simulatePaid: '全額',
  simulatePartial: '一部',
  simulateOver: '超過',

  back: '販売者のサイトに戻る',
  backTo: '{merchant} に戻る',
  cancel: 'キャンセルして戻る',
  leaving: '{seconds}後に戻ります',
  stay: 'ここにとどまる',

  notFoundTitle: 'お支払いが見つかりません',
  notFoundText: 'リンクを確認するか、販売者に新しいリンクを依頼してください。',
  momentTitle: '少々お待ちください',
  busyText: 'リクエストが多すぎます。しばらくしてからもう一度お試しください。',
  awayText: '現在、支払いページを表示できません。失われたものはありません。数秒後に再読み込みしてください。',
  tryAgain: 'もう一度試す',
  problemForeign: '安全のため、このページ上で選択してください。',
  problemChoice: '下の通貨から 1 つ選択してください。',
  problemRejected: 'その操作はもうできません。このページに現在の状況が表示されています。',
  problemRates: '現在、最新の為替レートがありません。しばらくしてからもう一度お試しください。',
  problemNetwork: 'このネットワークはまだ準備中です。数秒後にもう一度試すか、別の通貨を選択してください。',
  problemOther: 'うまくいきませんでした。もう一度お試しください。',

  // The receipt.
  receipt: '領収書',
  receiptDate: '日付',
  receiptNumber: '領収書番号',
  receiptSeller: '販売者',
  receiptNetwork: 'ネットワーク',
  receiptRate: '為替レート',
  receiptPdf: 'PDF をダウンロード',
  receiptPrint: '印刷',
  receiptNone: '領収書は、支払いが完了すると表示されます。',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
