/**
 * What the contract knows about methods. Assumption: any method that writes is called like `sendMessage`, the only one
 * that is documented. Names are compared in lower case, so that another spelling never escapes a rule.
 */

const name = /^[A-Za-z]{1,64}$/;

export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && name.test(value);
}

export function isSendMessage(method: string): boolean {
  return method.toLowerCase() === 'sendmessage';
}

/** Whether the service ignores the idempotency key of this method: its calls could not be repeated safely. */
export function ignoresKeys(method: string): boolean {
  const lower = method.toLowerCase();
  // Assumption: reads are the methods called `get…`.
  return lower.startsWith('get') || lower === 'deletewebhook';
}
