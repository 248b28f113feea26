/** @param data the payload of a successful answer */
export function envelope<T>(message: string, data: T) {
  return { success: true as const, message, data };
}
