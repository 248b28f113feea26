import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { formatBytes, formatCount, formatLanguage } from '../../format.ts';
import { type ImportFiles, readVoiceConfig, type VoiceConfigInfo } from './import-files.ts';

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
    <dl class="facts">
      {kinds.map(({ kind, title, isNeeded }) => {
        const file = files[kind];
        return (
          <Fragment key={kind}>
            <dt>{title}</dt>
            <dd>
              {file === undefined ? (
                <span class="hint">{isNeeded ? 'Missing' : 'None'}</span>
              ) : (
                <>
                  {file.name} <span class="hint">{formatBytes(file.size)}</span>
                </>
              )}
            </dd>
          </Fragment>
        );
      })}
      {facts !== undefined && (
        <>
          <dt>Voice</dt>
          <dd>{factsText(facts)}</dd>
        </>
      )}
    </dl>
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
