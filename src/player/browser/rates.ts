import { createChoice } from './choice.ts';

const defaultRates = [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2];

/** The menu of speeds. */
export function createRates(onChoose: (rate: number) => void) {
  let rates = defaultRates;
  const choice = createChoice('speed', (index) => onChoose(rates[index] ?? 1));
  return {
    element: choice.element,
    show: (rate: number, language: string): void => {
      // A script may set another speed than the options.
      rates = [...new Set([...defaultRates, rate])];
      choice.show(
        rates.map((each) => `${each.toLocaleString(language)}×`),
        rates.indexOf(rate),
      );
    },
  };
}
