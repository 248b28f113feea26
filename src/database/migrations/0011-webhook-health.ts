/** Finds the last success and the undelivered messages of a webhook. */
export const webhookHealth: readonly string[] = [
  'create index webhook_delivery_state on webhook_delivery (endpoint_id, state, updated_at)',
];
