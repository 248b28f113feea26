const VALUES: Readonly<Record<string, number>> = {
  I: 1,
  V: 5,
  X: 10,
  L: 50,
  C: 100,
  D: 500,
  M: 1000,
};
const CANONICAL = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

/** @returns the digits of a Roman numeral, undefined for letters that are none: "XIV" → "14" */
export function arabicDigits(numeral: string): string | undefined {
  if (numeral === '' || !CANONICAL.test(numeral)) return undefined;
  let value = 0;
  for (let index = 0; index < numeral.length; index += 1) {
    const here = VALUES[numeral.charAt(index)] ?? 0;
    const next = VALUES[numeral.charAt(index + 1)] ?? 0;
    value += here < next ? -here : here;
  }
  return String(value);
}
