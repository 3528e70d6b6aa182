<?php
$secret = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), strlen('whsec_')));
if ($secret === '') { // anyone could sign with an empty secret
    http_response_code(500);
    exit('WEBHOOK_SECRET is not a webhook secret');
}
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $secret, true));

$genuine = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) { // two while both secrets work
    $genuine = hash_equals($expected, $given) || $genuine;
}
if (!$genuine || abs(time() - (int) $sent) > 300) {
    http_response_code(401);
    exit;
}

$event = json_decode($body, true);
error_log(($event['order_id'] ?? 'test') . ' ' . ($event['status'] ?? ''));
