import { useEffect, useState } from 'preact/hooks';
import { Facts } from '../../components/status.tsx';
import { formatBytes, formatCount, formatLanguage } from '../../format.ts';
import { runInBackground } from '../../query.ts';

/** The selected files of a voice. */
export interface ImportFiles {
  readonly model?: File;
  readonly config?: File;
  readonly card?: File;
}

/** Properties of a voice from its config. */
interface VoiceConfigInfo {
  readonly locale: string | undefined;
  readonly quality: string | undefined;
  readonly sampleRateHz: number | undefined;
  readonly speakerCount: number;
}

/**
 * Adds files to the selected ones. A file replaces an earlier one of its kind.
 * @returns the files, and the problems of the added ones
 */
export function addFiles(
  before: ImportFiles,
  added: readonly File[],
): { files: ImportFiles; problems: readonly string[] } {
  const problems: string[] = [];
  let files = before;
  const models = added.filter(({ name }) => kindOf(name) === 'model');
  if (models.length > 1) {
    problems.push('Several models selected. Import one voice at a time.');
  }
  for (const file of added) {
    const kind = kindOf(file.name);
    if (kind === undefined) problems.push(`${file.name} is not a voice file.`);
    else files = { ...files, [kind]: file };
  }
  return { files, problems };
}

/** @returns what is missing or does not match; undefined if the files are complete */
export function missingText({ model, config }: ImportFiles): string | undefined {
  if (model === undefined && config === undefined) return undefined;
  if (model === undefined) {
    return `The model is missing: ${config?.name.replace(/\.json$/, '') ?? 'NAME.onnx'}.`;
  }
  if (config === undefined) {
    return `The config is missing: ${model.name}.json. Download it from the source of the model.`;
  }
  return undefined;
}

/** @returns undefined if it is not a config: the server reports the problem */
async function readVoiceConfig(config: File): Promise<VoiceConfigInfo | undefined> {
  try {
    const { audio, language, num_speakers: speakers } = JSON.parse(await config.text());
    return {
      locale: textOr(language?.code),
      quality: textOr(audio?.quality),
      sampleRateHz: typeof audio?.sample_rate === 'number' ? audio.sample_rate : undefined,
      speakerCount: typeof speakers === 'number' ? speakers : 1,
    };
  } catch {
    return undefined;
  }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function kindOf(name: string): keyof ImportFiles | undefined {
  if (/\.onnx$/i.test(name)) return 'model';
  if (/\.json$/i.test(name)) return 'config';
  if (/(card|licen[cs]e|readme)/i.test(name) || /\.(md|txt)$/i.test(name)) return 'card';
  return undefined;
}

const kinds = [
  { kind: 'model', title: 'Model', isNeeded: true },
  { kind: 'config', title: 'Config', isNeeded: true },
  { kind: 'card', title: 'Model card', isNeeded: false },
] as const;

/** The selected files, and the properties of the voice from its config. */
export function ChosenFiles({ files }: { readonly files: ImportFiles }) {
  const [facts, setFacts] = useState<VoiceConfigInfo | undefined>(undefined);
  const { config } = files;
  useEffect(() => {
    let isNewest = true;
    setFacts(undefined);
    if (config === undefined) return;
    runInBackground(
      readVoiceConfig(config).then((found) => {
        if (isNewest) setFacts(found);
      }),
    );
    return () => {
      isNewest = false;
    };
  }, [config]);
  if (Object.keys(files).length === 0) return null;
  return (
    <Facts
      of={[
        ...kinds.map(({ kind, title, isNeeded }) => {
          const file = files[kind];
          return [
            title,
            file === undefined ? (
              <span class="hint">{isNeeded ? 'Missing' : 'None'}</span>
            ) : (
              <>
                {file.name} <span class="hint">{formatBytes(file.size)}</span>
              </>
            ),
          ] as const;
        }),
        facts !== undefined && ['Voice', factsText(facts)],
      ]}
    />
  );
}

function factsText({ locale, quality, sampleRateHz, speakerCount }: VoiceConfigInfo): string {
  return [
    ...(locale === undefined ? [] : [formatLanguage(locale)]),
    ...(quality === undefined ? [] : [`${quality} quality`]),
    ...(sampleRateHz === undefined ? [] : [`${sampleRateHz / 1000} kHz`]),
    ...(speakerCount > 1 ? [`${formatCount(speakerCount, 'speaker')}, one voice each`] : []),
  ].join(', ');
}
