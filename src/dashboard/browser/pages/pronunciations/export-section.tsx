import { LinkButton } from '../../components/button.tsx';
import { Card } from '../../components/page.tsx';
import { formatLanguage } from '../../format.ts';
import { buildExportUrl, type PronunciationScope } from './pronunciations-api.ts';

interface ExportSectionProps {
  readonly of: PronunciationScope;
  readonly languages: readonly string[];
}

export function ExportSection({ of, languages }: ExportSectionProps) {
  return (
    <Card
      title="Export"
      about="CSV contains all pronunciations. W3C PLS contains one language, for other speech software. Both can be imported again."
    >
      <div class="actions">
        <LinkButton href={buildExportUrl(of, 'csv', undefined)} download>
          {' '}
          Export CSV{' '}
        </LinkButton>
        {languages.map((code) => (
          <LinkButton key={code} href={buildExportUrl(of, 'pls', code)} download>
            {`Export PLS (${formatLanguage(code)})`}
          </LinkButton>
        ))}
      </div>
    </Card>
  );
}
