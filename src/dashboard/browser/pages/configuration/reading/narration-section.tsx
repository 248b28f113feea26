import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { stripFieldPrefix } from '../field-names.ts';
import { RegenerateSection } from './regenerate-section.tsx';

const bitRatesKbps = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160] as const;
const lineFields = ['intro', 'outro', 'disclosure', 'speed', 'tables'] as const;

/** Narration settings, and regeneration of existing audio. */
export function NarrationSection() {
  const { canEdit } = useSite();
  return (
    <>
      <ReadingSection />
      {canEdit && <RegenerateSection />}
    </>
  );
}

function ReadingSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const { reading } = site;
  const [fields, setFields] = useState({
    ...reading,
    speed: String(reading.speed),
    leave_out: reading.leave_out.join('\n'),
    keep: reading.keep.join('\n'),
    bitRateKbps: String(site.bit_rate_kbps),
    hasTimingsText: site.timings_text,
  });
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const save = useAction(async () => {
    const { speak_title, tables, intro, outro, disclosure, foreign_passages, ssml } = fields;
    await ask(() =>
      api.sites({ site: encodeSegment(site.slug) }).patch({
        reading: {
          ...{ speak_title, tables, intro, outro, disclosure, foreign_passages, ssml },
          leave_out: linesOf(fields.leave_out),
          keep: linesOf(fields.keep),
          speed: Number(fields.speed),
        },
        timings_text: fields.hasTimingsText,
        bit_rate_kbps: bitRatesKbps.find((rate) => String(rate) === fields.bitRateKbps) ?? 64,
      }),
    );
    tell('Settings saved. They apply to audio generated from now on.');
    reload();
  });
  const problem = stripFieldPrefix('reading', save.problem);
  return (
    <Card title="Narration" about="Content, voice and audio format. Changes apply to audio generated from now on.">
      <Form
        action={{ ...save, problem }}
        submit="Save narration"
        fields={['leave_out', 'keep', ...lineFields]}
        isReadOnly={!canEdit}
      >
        <h3>Content</h3>
        <CheckField
          label="Read the title first"
          isChecked={fields.speak_title}
          onChecked={(speak_title) => set({ speak_title })}
        />
        <SelectField
          label="Tables"
          value={fields.tables}
          onValue={(tables) => set({ tables: tables === 'none' ? 'none' : 'rows' })}
          options={[
            { value: 'rows', label: 'Read row by row' },
            { value: 'none', label: 'Excluded' },
          ]}
        />
        <TextArea
          label="Always exclude"
          name="leave_out"
          class="code"
          spellcheck={false}
          placeholder={'.newsletter-box\naside.related'}
          hint="CSS selectors, one per line. Matching elements are not read."
          problem={problem}
          value={fields.leave_out}
          onValue={(leave_out) => set({ leave_out })}
        />
        <TextArea
          label="Always include"
          name="keep"
          class="code short"
          spellcheck={false}
          placeholder="figcaption"
          hint="CSS selectors, one per line. Matching elements are read even if a rule excludes them, such as captions."
          problem={problem}
          value={fields.keep}
          onValue={(keep) => set({ keep })}
        />
        <h3>Additional text</h3>
        <TextField
          label="Intro"
          name="intro"
          hint="For example “You are listening to Harbor News.” Empty: none."
          problem={problem}
          value={fields.intro}
          onValue={(intro) => set({ intro })}
        />
        <TextField
          label="Outro"
          name="outro"
          problem={problem}
          value={fields.outro}
          onValue={(outro) => set({ outro })}
        />
        <TextField
          label="Closing disclosure"
          name="disclosure"
          hint="For example “This article was read by a synthetic voice.”"
          problem={problem}
          value={fields.disclosure}
          onValue={(disclosure) => set({ disclosure })}
        />
        <h3>Voice and audio</h3>
        <TextField
          label="Speed"
          name="speed"
          type="number"
          min="0.5"
          max="2"
          step="0.05"
          class="narrow"
          hint="0.5 to 2; 1 is the normal speed of the voice. Listeners can also change the speed."
          problem={problem}
          value={fields.speed}
          onValue={(speed) => set({ speed })}
        />
        <CheckField
          label="Use matching voices for passages in other languages"
          hint="Requires lang attributes in the HTML of the article, and an installed voice of that language."
          isChecked={fields.foreign_passages}
          onChecked={(foreign_passages) => set({ foreign_passages })}
        />
        <CheckField
          label="Follow SSML in articles"
          hint="Elements break, phoneme, say-as, sub and prosody rate in the HTML of the article. Otherwise their text is read as it stands."
          isChecked={fields.ssml}
          onChecked={(ssml) => set({ ssml })}
        />
        <SelectField
          label="MP3 bit rate"
          value={fields.bitRateKbps}
          onValue={(bitRateKbps) => set({ bitRateKbps })}
          hint="64 kbit/s suits speech. Use 96 kbit/s or more for loudspeakers, less for slow networks."
          options={bitRatesKbps.map((rate) => ({ value: String(rate), label: `${rate} kbit/s` }))}
        />
        <CheckField
          label="Include sentence text in timings"
          hint="The player needs the text to highlight the spoken sentence. When off, the timings of an audio do not reveal the article text."
          isChecked={fields.hasTimingsText}
          onChecked={(hasTimingsText) => set({ hasTimingsText })}
        />
      </Form>
    </Card>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
