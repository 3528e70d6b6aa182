/** The checkout's texts in Indonesian. */
import type { Messages } from '../message-keys.ts';

export const ID: Messages = {
  nativeName: 'Bahasa Indonesia',
  payment: 'Pembayaran',
  language: 'Bahasa',
  secured: 'Didukung oleh {name}',
  refresh: 'Perbarui status',

  amountDue: 'Jumlah yang harus dibayar',
  amountSuggested: 'Jumlah yang disarankan',
  amountAny:
    'Anda dapat mengirim jumlah berapa pun mulai dari {least}. Jumlah di bawah itu tidak dikreditkan.',
  amountPaid: 'Diterima',
  amountOver: 'Kelebihan bayar',
  amountWasDue: 'Tagihan semula',
  amountSettled: 'Lunas',
  amountRefunded: 'Dana dikembalikan',
  itemOrder: 'Pesanan',
  itemDiscount: 'Diskon',
  itemSurcharge: 'Biaya tambahan',
  itemFee: 'Biaya pembayaran',
  itemTotal: 'Jumlah total',
  rateHeld: '{rate}, berlaku {until}',
  orderReference: 'Nomor pesanan',
  contactTitle: 'Hubungi {merchant}',
  terms: 'Ketentuan penjualan',

  chooseTitle: 'Pilih mata uang kripto',
  chooseText: 'Jumlahnya ditetapkan saat Anda memilih.',
  waitingTitle: 'Menunggu pembayaran Anda',
  waitingText: 'Begitu pembayaran tiba, Anda akan melihatnya di sini.',
  seenLate:
    'Pembayaran di {network} saat ini terlambat muncul. Jika Anda sudah membayar, jangan membayar lagi: pembayaran Anda akan muncul di sini.',
  seenTitle: 'Pembayaran terdeteksi',
  seenText: 'Jaringan sedang mengonfirmasinya. Anda tidak perlu melakukan apa pun lagi.',
  seenPartText:
    'Sebagian jumlah sedang dalam perjalanan. Jika masih ada waktu setelah dikonfirmasi, halaman ini akan menunjukkan cara membayar sisanya.',
  seenPartLateText:
    'Sebagian jumlah sedang dalam perjalanan, tetapi waktu pembayaran sudah habis. Hubungi penjual.',
  partialTitle: 'Pembayaran sebagian diterima',
  partialText: 'Kirimkan sisa jumlahnya ke alamat yang sama.',
  paidTitle: 'Lunas',
  paidText: 'Terima kasih. Penjual sudah diberi tahu.',
  overText: 'Terima kasih. Anda membayar lebih dari tagihan. Hubungi penjual mengenai selisihnya.',
  expiredTitle: 'Tagihan ini sudah kedaluwarsa',
  expiredText: 'Jangan kirim apa pun sekarang. Minta tagihan baru kepada penjual.',
  lateTitle: 'Waktu habis',
  lateText: 'Hanya sebagian jumlah yang tiba. Hubungi penjual.',
  reviewTitle: 'Pembayaran sedang ditinjau',
  reviewText: 'Pembayaran sudah tiba dan sedang diperiksa. Penjual akan menghubungi Anda.',
  failedTitle: 'Pembayaran tidak berhasil',
  failedText: 'Jaringan membatalkannya. Jika dana sudah keluar dari dompet Anda, hubungi penjual.',
  refundedTitle: 'Dana dikembalikan',
  refundedText: 'Penjual telah mengembalikan pembayaran ini.',
  paidLateTitle: 'Sudah membayar?',
  paidLateText:
    'Jika Anda sudah mengirimnya, penjual dapat menemukannya. Hubungi penjual dan berikan ID transaksi yang ditampilkan dompet Anda.',

  timeLeft: 'Sisa waktu',
  untilDate: 'sampai {time}',
  untilTime: 'sampai {time}',
  minutesLeft: { other: 'Sisa {n} menit untuk membayar.' },

  sendExactly: 'Kirim tepat',
  stillToSend: 'Masih harus dikirim',
  receivedSoFar: 'Diterima sejauh ini: {amount}',
  toAddress: 'Ke alamat ini di {network}',
  withTag: 'Dengan tag tujuan ini (destination tag)',
  tagNeeded: 'Tanpa tag, pembayaran Anda tidak dapat dikenali.',
  orXAddress: 'Dompet saya mendukung alamat X',
  xAddress: 'Alamat X, berisi alamat dan tag',
  copy: 'Salin',
  copied: 'Disalin',
  scan: 'Pindai dengan dompet Anda',
  showQr: 'Tampilkan kode QR',
  qrLabel: 'Kode QR pembayaran ini: {amount} di {network}',
  openWallet: 'Buka di dompet',
  onlyNetwork: 'Kirim hanya {symbol} di jaringan {network}. Selain itu bisa hilang.',
  feeOnTop: 'Biaya jaringan ditambahkan tersendiri: tepat jumlah ini yang harus tiba.',
  noMemo: 'Tidak perlu komentar atau memo: alamat ini khusus untuk pembayaran ini.',

  change: 'Ganti mata uang',
  search: 'Cari mata uang atau jaringan',
  noMatch: 'Tidak ada yang cocok.',
  feeAbout: 'biaya jaringan sekitar {fee}',
  feeUnder: 'biaya jaringan di bawah {fee}',
  noCurrency: 'Saat ini tidak ada mata uang yang tersedia. Coba lagi nanti atau hubungi penjual.',

  payments: { other: 'Pembayaran Anda' },
  inMempool: 'Terdeteksi, menunggu blok pertama',
  confirmationsOf: { other: '{n} dari {m} konfirmasi' },
  confirmationsSoFar: { other: 'Sedang dikonfirmasi: sejauh ini {n} konfirmasi' },
  confirmed: 'Terkonfirmasi',
  viewTransaction: 'Lihat transaksi',
  newTab: '(terbuka di tab baru)',
  transactionId: 'ID transaksi',

  testTitle: 'Tagihan uji coba.',
  testWarning: 'Jangan kirim uang sungguhan: uang akan hilang.',
  simulate: 'Simulasikan pembayaran',
  simulatePaid: 'Penuh',
  simulatePartial: 'Sebagian',
  simulateOver: 'Berlebih',

  back: 'Kembali ke penjual',
  backTo: 'Kembali ke {merchant}',
  cancel: 'Batalkan dan kembali',
  leaving: 'Kembali ke penjual dalam {seconds}',
  stay: 'Tetap di sini',

  notFoundTitle: 'Pembayaran tidak ditemukan',
  notFoundText: 'Periksa tautannya atau minta yang baru kepada penjual.',
  momentTitle: 'Mohon tunggu',
  busyText: 'Terlalu banyak permintaan. Coba lagi sebentar lagi.',
  awayText:
    'Halaman pembayaran tidak dapat ditampilkan saat ini. Tidak ada yang hilang; muat ulang dalam beberapa detik.',
  tryAgain: 'Coba lagi',
  problemForeign: 'Demi keamanan Anda, silakan memilih di halaman ini.',
  problemChoice: 'Silakan pilih salah satu mata uang di bawah.',
  problemRejected: 'Itu tidak mungkin lagi. Halaman ini menampilkan status pembayaran saat ini.',
  problemRates: 'Saat ini tidak ada kurs terbaru. Coba lagi sebentar lagi.',
  problemNetwork: 'Jaringan ini belum siap. Coba lagi dalam beberapa detik atau pilih mata uang lain.',
  problemOther: 'Tidak berhasil. Silakan coba lagi.',

  // The receipt.
  receipt: 'Tanda terima',
  receiptDate: 'Tanggal',
  receiptNumber: 'Nomor tanda terima',
  receiptSeller: 'Penjual',
  receiptNetwork: 'Jaringan',
  receiptRate: 'Kurs',
  receiptPdf: 'Unduh PDF',
  receiptPrint: 'Cetak',
  receiptNone: 'Tanda terima tersedia begitu pembayaran lengkap.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
