import { useProgress } from '../sound.ts';

const barCount = 44;
const decodingRateHz = 22_050;

/** @param sound a file that the browser can decode; @returns the loudness of its parts; 1: the loudest */
export async function measurePeaks(sound: ArrayBuffer): Promise<number[]> {
  const decoded = await new OfflineAudioContext(1, 1, decodingRateHz).decodeAudioData(sound);
  const samples = decoded.getChannelData(0);
  const size = Math.ceil(samples.length / barCount);
  const peaks = Array.from({ length: barCount }, (_, at) =>
    samples.subarray(at * size, (at + 1) * size).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
  );
  const most = Math.max(...peaks, Number.EPSILON);
  return peaks.map((peak) => peak / most);
}

interface WaveformProps {
  /** Names the sound, as for the play button beside it. */
  readonly id: string;
  /** undefined before the sound is loaded. */
  readonly peaks: readonly number[] | undefined;
}

/** The loudness of a short sound; bars that have been heard are lit. Decoration for the play button beside it. */
export function Waveform({ id, peaks }: WaveformProps) {
  const progress = useProgress(id);
  return (
    <span class="wave" aria-hidden="true">
      {Array.from({ length: barCount }, (_, at) => (
        <i
          key={at}
          class={at < progress * barCount ? 'heard' : ''}
          style={{ height: `${Math.round(100 * (peaks?.[at] ?? 0))}%` }}
        />
      ))}
    </span>
  );
}
