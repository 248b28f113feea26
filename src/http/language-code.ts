/** @returns the BCP 47 primary code in lower case (`en-US` → `en`); undefined when it is no language code */
export function primaryLanguage(given: string): string | undefined {
  return /^([a-z]{2,3})([-_][a-z0-9]{2,8})*$/i.exec(given)?.[1]?.toLowerCase();
}
