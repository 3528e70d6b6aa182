/** The checkout's texts in Chinese, in simplified characters. */
import type { Messages } from './message-keys.ts';

export const ZH: Messages = {
  nativeName: '中文',
  payment: '付款',
  language: '语言',
  secured: '由 {name} 提供安全保障',
  refresh: '刷新状态',

  amountDue: '应付金额',
  amountSuggested: '建议金额',
  amountAny: '您可以发送不少于 {least} 的任意金额，低于此金额将不会入账。',
  amountPaid: '已收到',
  amountOver: '多付金额',

  chooseTitle: '请选择币种',
  chooseText: '选定后，金额随即锁定。',
  waitingTitle: '等待您付款',
  waitingText: '款项一到，这里就会显示。',
  seenLate: '{network} 网络上的付款目前显示有延迟。如果您已付款，请勿重复支付：付款稍后会显示在这里。',
  seenTitle: '已检测到付款',
  seenText: '网络正在确认，您无需再做任何操作。',
  seenPartText: '部分款项正在路上。如果确认之后仍有时间，本页会告诉您如何支付剩余部分。',
  seenPartLateText: '部分款项正在路上，但付款时间已结束，请联系商家处理。',
  partialTitle: '已收到部分款项',
  partialText: '请将剩余金额发送到同一地址。',
  paidTitle: '已付款',
  paidText: '谢谢！商家已收到通知。',
  overText: '谢谢！您支付的金额超出了应付金额，差额请联系商家处理。',
  expiredTitle: '此账单已过期',
  expiredText: '请勿再付款。请向商家索取新的账单。',
  lateTitle: '付款时间已结束',
  lateText: '只收到了部分款项，请联系商家处理。',
  reviewTitle: '付款正在审核',
  reviewText: '款项已到账，正在核查。商家会与您联系。',
  failedTitle: '付款未成功',
  failedText: '网络未接受这笔交易。如果您的钱包已经扣款，请联系商家。',
  refundedTitle: '已退款',
  refundedText: '商家已退回这笔付款。',
  paidLateTitle: '已经付过款了？',
  paidLateText: '您的款项没有丢失。请联系商家，并提供钱包中显示的交易 ID。',

  timeLeft: '剩余时间',
  until: '截止时间：{time}',
  minutesLeft: { other: '付款时间还剩 {n} 分钟。' },

  sendExactly: '请准确发送',
  stillToSend: '还需发送',
  receivedSoFar: '目前已收到：{amount}',
  toAddress: '发送到此地址（{network} 网络）',
  toAccount: '发送到此账户（{network} 网络）',
  withTag: '并填写此目标标签（Destination Tag）',
  tagNeeded: '不填写标签，我们将无法识别您的付款。',
  orXAddress: '我的钱包支持 X 地址',
  xAddress: 'X 地址，已包含账户和标签',
  copy: '复制',
  copied: '已复制',
  scan: '用钱包扫码',
  qrLabel: '付款二维码：{amount}，{network} 网络',
  openWallet: '在钱包中打开',
  onlyNetwork: '请仅通过 {network} 网络发送 {symbol}，否则资产可能丢失。',
  feeOnTop: '网络手续费另计：到账金额必须与此完全一致。',
  noMemo: '无需填写备注或 Memo：此地址仅用于这笔付款。',

  change: '更换币种',
  search: '搜索币种或网络',
  noMatch: '没有找到匹配的结果。',
  feeAbout: '网络手续费约 {fee}',
  feeUnder: '网络手续费低于 {fee}',
  noCurrency: '目前没有可用的币种。请稍后再试，或联系商家。',

  payments: { other: '您的付款' },
  inMempool: '已检测到，等待第一个区块',
  confirmationsOf: { other: '{n}/{m} 次确认' },
  confirmationsSoFar: { other: '确认中：目前 {n} 次确认' },
  confirmed: '已确认',
  viewTransaction: '查看交易',
  newTab: '（在新标签页中打开）',
  transactionId: '交易 ID',

  testTitle: '测试账单。',
  testWarning: '请勿发送真实资产，否则将无法找回。',
  simulate: '模拟付款',
  simulatePaid: '全额',
  simulatePartial: '部分',
  simulateOver: '超额',

  back: '返回商家',
  backTo: '返回 {merchant}',
  cancel: '取消并返回',
  leaving: '{seconds}后返回',
  stay: '留在本页',

  notFoundTitle: '找不到这笔付款',
  notFoundText: '请检查链接，或向商家索取新的链接。',
  momentTitle: '请稍候',
  busyText: '请求过于频繁，请稍后再试。',
  awayText: '暂时无法显示付款页面。一切都未丢失，请几秒后重新加载。',
  tryAgain: '重试',
  problemForeign: '为了您的安全，请直接在本页面上选择。',
  problemChoice: '请选择下方的一种货币。',
  problemRejected: '该操作已无法进行。以下是付款的当前状态。',
  problemRates: '暂时没有最新汇率，请稍后再试。',
  problemNetwork: '该网络尚未就绪。请几秒后重试，或选择其他币种。',
  problemOther: '操作未成功，请重试。',

  // The receipt.

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
