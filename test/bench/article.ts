/** An article as a newsroom would send it. */
export interface BenchArticle {
  readonly title: string;
  readonly content: string;
}

/** Number of articles that differ in every sentence. */
export const variantCount = 10;
/** Of an article, about a hundred words each. */
export const paragraphCount = 14;

/**
 * About a thousand words of local news in sixty unique sentences.
 * @param variant 0…9: names, places and figures; variants share no sentence
 */
export function buildArticle(variant: number): BenchArticle {
  return { title: fillTemplate(title, variant), content: fillTemplate(body, variant) };
}

/** The same article after a correction in one sentence. */
export function buildCorrectedArticle(variant: number): BenchArticle {
  const { title, content } = buildArticle(variant);
  const corrected = content.replace('a few pictures remain', 'a good dozen pictures remain');
  if (corrected === content) throw new Error('the sentence to correct is not in the article');
  return { title, content: corrected };
}

/**
 * Some paragraphs of an article, with its title.
 * @param places from 0 to `paragraphCount` - 1
 */
export function buildExcerpt(variant: number, places: readonly number[]): BenchArticle {
  const { title, content } = buildArticle(variant);
  const paragraphs = content.match(/<p>.*?<\/p>/gs) ?? [];
  return { title, content: places.map((place) => paragraphs[place]).join('\n') };
}

/** All variants in one article, ten times as long. */
export function buildLongArticle(): BenchArticle {
  const articles = Array.from({ length: variantCount }, (_, variant) => buildArticle(variant));
  return { title: fillTemplate(title, 0), content: articles.map(({ content }) => content).join('\n') };
}

function fillTemplate(template: string, variant: number): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = slots[name]?.[variant];
    if (value === undefined) throw new Error(`variant ${variant} has no ${name}`);
    return value;
  });
}

/** Ten values each, of about equal length. */
const slots: Readonly<Record<string, readonly string[]>> = {
  town: list('Marlow, Easton, Colby, Denham, Fenwick, Granton, Halden, Ipswell, Kelton, Lorne'),
  river: list('Tessen, Orrin, Wye, Calder, Dorn, Esker, Farrow, Glane, Hurst, Irvel'),
  mayor: list('Novak, Harlan, Pryce, Lindgren, Okoro, Mercer, Salas, Whitlock, Yates, Brandt'),
  engineer: list('Ruiz, Tanaka, Bauer, Ferris, Doyle, Abbott, Conti, Sorel, Keane, Vance'),
  teacher: list('Molina, Hobbs, Ahmed, Carver, Nilsen, Pound, Rossi, Stark, Tully, Weller'),
  farmer: list('Gale, Hutton, Ingram, Jarvis, Kemp, Lowry, Munro, Nash, Oswald, Penn'),
  day: list('March 2, April 7, May 12, June 17, July 22, August 27, October 3, January 8, May 19, July 5'),
  weekday: list(
    'Monday night, Tuesday night, Wednesday night, Thursday night, Friday night, Monday evening, Tuesday evening, Thursday evening, Friday evening, Sunday evening',
  ),
  season: list('spring, summer, autumn, winter, harvest, early spring, late summer, midsummer, late autumn, midwinter'),
  year: list('1904, 1911, 1923, 1931, 1938, 1947, 1956, 1962, 1969, 1974'),
  cost: list('4.2, 5.7, 6.1, 7.3, 8.4, 9.6, 3.8, 2.9, 6.6, 5.1'),
  percent: list('31, 42, 53, 64, 37, 48, 59, 26, 67, 71'),
  people: list('1,240, 2,310, 3,120, 1,470, 2,580, 3,690, 1,730, 2,840, 3,950, 1,860'),
  metres: list('85, 96, 112, 124, 137, 143, 158, 161, 179, 188'),
  street: list('Mill, Station, Chapel, Bridge, Orchard, Market, Tanner, Castle, Garden, Harbor'),
  colour: list('green, yellow, blue, brown, white, silver, orange, crimson, purple, black'),
  company: list(
    'Northway, Eastline, Stonebridge, Clearspan, Redfern, Bluewater, Ironvale, Westmark, Oakfield, Sunhill',
  ),
  dish: list('soup, bread, cheese, apple pie, stew, pancakes, roast corn, plum cake, dumplings, baked fish'),
  animal: list('sheep, cattle, horses, goats, geese, donkeys, ducks, ponies, oxen, chickens'),
  tool: list('rope, hammer, ladder, lantern, shovel, barrow, crane, winch, drill, saw'),
};

function list(values: string): string[] {
  return values
    .split(/, (?=\D|\d+\.)|(?<=\d), /)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

const title = 'After the {season} flood, {town} builds its bridge again';

const body = `<article>
<p>The old bridge over the {river} carried its last cart on {day}, a few minutes before the water reached the arches.
By the next morning two of its seven pillars had gone, and {town} was a town in two halves. Nobody was hurt, partly
because a baker named {farmer} had heard the stones moving and rang the church bell. Now, after long arguments about
money, granite and the speed of trucks, the {town} council has agreed to build a new one.</p>
<p>The vote on {weekday} was closer than many had expected. Eleven members raised their hands in favor of the plan by
engineer Carla {engineer}, nine were against, and one had left to feed her {animal}; construction should begin before
the {season} rains and take about two years. The price, at today's estimate, is {cost} million dollars.</p>
<h2>What {town} lost</h2>
<p>Built in {year}, the crossing was never a beautiful one. Postcards preferred the {colour} mill beside it, and painters
usually left it out of the picture, yet some {people} people used it every working day, most of them on foot or by bicycle. Children
from the farms walked over it to the school on {street} Street, and their grandparents to the clinic. Since the flood
that walk has become a bus ride of {percent} minutes, with a change at the quarry.</p>
<p>"You don't notice a bridge until you stand on the wrong side of it," said {teacher}, who teaches geography there. Her
class has counted the empty chairs: on icy mornings nearly {percent} percent of the pupils arrive late. One boy from
the {farmer} farm rows across with his father when the current allows it. The principal has asked them, more than
once, to leave that {colour} boat at home.</p>
<p>Shops feel the change as well: at the {street} Street bakery, sales fell by a third within a month. The hardware
dealer, who used to sell one {tool} a week to farmers from the far bank, has not sold any since. Two cafes closed,
while a third survives by serving {dish} to the volunteers who clear driftwood. Even the {weekday} market, held here
for four centuries, moved to a parking lot outside the walls.</p>
<h2>Three designs for the {river}</h2>
<p>The council had asked for proposals in the {season} and received three. The first came from {company}, a contractor
with offices in nine countries, and showed a slender arch of steel. Its model, displayed in the town hall under {colour}
light, won nearly every heart and frightened nearly every accountant. The second, by students of the technical college
in {town}, was made of laminated timber and would have been
the longest of its kind, but insurers
refused to give a price for it.</p>
<p>What remained was the design that {engineer} drew, as she admits, at her kitchen table. It rests on four pillars
instead of seven, so that branches and ice can pass, and stands {metres} centimetres higher than the old one did. The
stone comes from the ruins themselves: divers have already lifted {people} blocks out of the mud, and each is washed,
measured, given a number in {colour} chalk and laid out on the football field.</p>
<ul>
<li>The roadway gets one lane for vehicles, which must wait for a signal beside the {colour} mill.</li>
<li>Walkers and cyclists have a path of their own on the {street} Street side.</li>
<li>Gauges under the arches warn the fire brigade of {town} as soon as the level rises.</li>
<li>Lamps switch themselves off at midnight, a wish of the bird watchers who protect the {river} meadows.</li>
</ul>
<p>Critics say that this is too modest, and {company} has warned that a single lane will cause queues within a decade.
Former mayor {mayor} called it a monument to small thinking and walked out of the {weekday} session. Others complain
about the opposite: every additional car, they argue, brings more noise to {street} Street. "We can't please everybody,
but at least we can connect everybody," answered the chair, a retired captain who once transported {animal} by ship.</p>
<h2>Who pays the {cost} million?</h2>
<p>The largest share, just under {percent} percent, comes from the national fund for natural disasters. A loan,
to be repaid over twenty-five years, covers most of what {town} itself must contribute. The rest has been collected in unusual ways; pensioners knitted scarves in the {colour} of the town's coat of arms. A rock band, half forgotten
since {year}, played in the ruined nave of the abbey and gave away the takings. Schoolchildren baked {dish} and sold it
to the television crews.</p>
<p>Then there was an envelope without a sender, found between two books in the library on {day}. It held
{people} dollars in small notes and a sheet of paper with one line: "For the lamps." The librarian suspects an old
ferryman from the {river}, who lost his work when the bridge was opened and, many decades later, got it back for a
{season}. He denies it with a smile, and goes on mending his {tool}.</p>
<h2>Waiting for the {season}</h2>
<p>Until then the town makes do with a ferry that leaves every half hour, takes twelve passengers or a pair of {animal},
and has become something of an attraction. Visitors ask about the {year} photographs in the cabin; of the crossing
itself a few pictures remain, most of them blurred. There is talk of keeping the boat once the last block of
{town} stone is in place, and Captain {farmer} would like that very much, although his knees, he says, would not.</p>
<p>For {teacher} and her class the matter has turned into a lesson. They have drawn the {river} from its spring
to the sea, written to every village upstream, and learned how forests slow down rain. Their letter to Mayor {mayor}
proposes {people} new willows on the banks. The answer came within three days, and it came with a {tool} for each of them.</p>
<blockquote><p>A flood asks {town} a question, and a bridge is only half of the answer.</p></blockquote>
<p>So wrote one of the pupils, aged ten, and the sentence will be carved above the first {colour} arch. Work begins,
weather permitting, on {day}, with a band, a priest and free {dish} for all. But what happens if the water
comes to {town} again before the mortar is dry? Engineer {engineer} shrugs and points at the {metres} blocks drying in the sun. "Then we will
pick them up," she says, "and start once more, as {town} has always done."</p>
</article>`;
