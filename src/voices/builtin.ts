import alderModel from '../../voices/en_US-alder-low.onnx' with { type: 'file' };
import alderConfig from '../../voices/en_US-alder-low.onnx.json' with { type: 'file' };
import lindenModel from '../../voices/en_US-linden-low.onnx' with { type: 'file' };
import lindenConfig from '../../voices/en_US-linden-low.onnx.json' with { type: 'file' };

const license = 'CMU Flite licence (MIT-like, notice kept): voices/LICENSE.md';
const source = 'Made for Lectern: distilled from CMU Flite';

/** A voice inside the executable, with the facts a Piper config has no place for. */
export interface BuiltinVoice {
  /** Its file name without `.onnx`. */
  readonly stem: string;
  readonly modelPath: string;
  readonly configPath: string;
  readonly gender: 'female' | 'male';
  readonly license: string;
  readonly source: string;
  /** As a worker measures it; a test compares. */
  readonly gainDb: number;
}

/** The first is the default. */
export const builtinVoices: readonly BuiltinVoice[] = [
  {
    stem: 'en_US-alder-low',
    modelPath: alderModel,
    configPath: embeddedPath(alderConfig),
    gender: 'male',
    license,
    source,
    gainDb: 2.69,
  },
  {
    stem: 'en_US-linden-low',
    modelPath: lindenModel,
    configPath: embeddedPath(lindenConfig),
    gender: 'female',
    license,
    source,
    gainDb: 5.48,
  },
];

/** The compiler takes a .json import for its contents; with `type: 'file'` it is the path. */
function embeddedPath(imported: unknown): string {
  return String(imported);
}
