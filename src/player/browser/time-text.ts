/** @returns like `1:02:03` or `0:07` */
export function clockTime(seconds: number): string {
  const { hours, minutes, rest } = split(seconds);
  const two = (value: number) => `${value}`.padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** @returns like `2 minutes 7 seconds`, to be read aloud */
export function spokenTime(seconds: number, language: string): string {
  const { hours, minutes, rest } = split(seconds);
  const say = (value: number, unit: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  return [
    ...(hours > 0 ? [say(hours, 'hour')] : []),
    ...(minutes > 0 ? [say(minutes, 'minute')] : []),
    say(rest, 'second'),
  ].join(' ');
}

function split(seconds: number) {
  const whole = Math.max(0, Math.floor(seconds));
  return {
    hours: Math.floor(whole / 3600),
    minutes: Math.floor(whole / 60) % 60,
    rest: whole % 60,
  };
}
