import archive from 'lucide-static/icons/archive.svg';
import arrowLeft from 'lucide-static/icons/arrow-left.svg';
import arrowUpDown from 'lucide-static/icons/arrow-up-down.svg';
import ban from 'lucide-static/icons/ban.svg';
import bookOpen from 'lucide-static/icons/book-open.svg';
import calendar from 'lucide-static/icons/calendar.svg';
import chartNoAxesColumn from 'lucide-static/icons/chart-no-axes-column.svg';
import check from 'lucide-static/icons/check.svg';
import chevronDown from 'lucide-static/icons/chevron-down.svg';
import chevronRight from 'lucide-static/icons/chevron-right.svg';
import chevronsUpDown from 'lucide-static/icons/chevrons-up-down.svg';
import circleAlert from 'lucide-static/icons/circle-alert.svg';
import circleCheck from 'lucide-static/icons/circle-check.svg';
import circlePause from 'lucide-static/icons/circle-pause.svg';
import circleQuestionMark from 'lucide-static/icons/circle-question-mark.svg';
import clock from 'lucide-static/icons/clock.svg';
import code from 'lucide-static/icons/code.svg';
import copy from 'lucide-static/icons/copy.svg';
import cpu from 'lucide-static/icons/cpu.svg';
import download from 'lucide-static/icons/download.svg';
import ellipsis from 'lucide-static/icons/ellipsis.svg';
import externalLink from 'lucide-static/icons/external-link.svg';
import eye from 'lucide-static/icons/eye.svg';
import eyeOff from 'lucide-static/icons/eye-off.svg';
import fileAudio from 'lucide-static/icons/file-audio.svg';
import gauge from 'lucide-static/icons/gauge.svg';
import globe from 'lucide-static/icons/globe.svg';
import headphones from 'lucide-static/icons/headphones.svg';
import info from 'lucide-static/icons/info.svg';
import keyRound from 'lucide-static/icons/key-round.svg';
import languages from 'lucide-static/icons/languages.svg';
import link from 'lucide-static/icons/link.svg';
import listOrdered from 'lucide-static/icons/list-ordered.svg';
import loaderCircle from 'lucide-static/icons/loader-circle.svg';
import lock from 'lucide-static/icons/lock.svg';
import lockOpen from 'lucide-static/icons/lock-open.svg';
import logOut from 'lucide-static/icons/log-out.svg';
import mail from 'lucide-static/icons/mail.svg';
import menu from 'lucide-static/icons/menu.svg';
import micVocal from 'lucide-static/icons/mic-vocal.svg';
import monitor from 'lucide-static/icons/monitor.svg';
import moon from 'lucide-static/icons/moon.svg';
import newspaper from 'lucide-static/icons/newspaper.svg';
import palette from 'lucide-static/icons/palette.svg';
import pencil from 'lucide-static/icons/pencil.svg';
import plus from 'lucide-static/icons/plus.svg';
import refreshCw from 'lucide-static/icons/refresh-cw.svg';
import rss from 'lucide-static/icons/rss.svg';
import scrollText from 'lucide-static/icons/scroll-text.svg';
import search from 'lucide-static/icons/search.svg';
import send from 'lucide-static/icons/send.svg';
import server from 'lucide-static/icons/server.svg';
import settings from 'lucide-static/icons/settings.svg';
import shieldCheck from 'lucide-static/icons/shield-check.svg';
import slidersHorizontal from 'lucide-static/icons/sliders-horizontal.svg';
import smartphone from 'lucide-static/icons/smartphone.svg';
import spellCheck from 'lucide-static/icons/spell-check.svg';
import star from 'lucide-static/icons/star.svg';
import sun from 'lucide-static/icons/sun.svg';
import textQuote from 'lucide-static/icons/text-quote.svg';
import trash2 from 'lucide-static/icons/trash-2.svg';
import triangleAlert from 'lucide-static/icons/triangle-alert.svg';
import undo2 from 'lucide-static/icons/undo-2.svg';
import upload from 'lucide-static/icons/upload.svg';
import user from 'lucide-static/icons/user.svg';
import userPlus from 'lucide-static/icons/user-plus.svg';
import users from 'lucide-static/icons/users.svg';
import volume2 from 'lucide-static/icons/volume-2.svg';
import webhook from 'lucide-static/icons/webhook.svg';
import wifiOff from 'lucide-static/icons/wifi-off.svg';
import x from 'lucide-static/icons/x.svg';
import { h } from 'preact';

/** The icons of the dashboard, by their names in Lucide. Only these are in the bundle. */
const icons = {
  archive,
  'arrow-left': arrowLeft,
  'arrow-up-down': arrowUpDown,
  ban,
  'book-open': bookOpen,
  calendar,
  'chart-no-axes-column': chartNoAxesColumn,
  check,
  'chevron-down': chevronDown,
  'chevron-right': chevronRight,
  'chevrons-up-down': chevronsUpDown,
  'circle-alert': circleAlert,
  'circle-check': circleCheck,
  'circle-pause': circlePause,
  'circle-question-mark': circleQuestionMark,
  clock,
  code,
  copy,
  cpu,
  download,
  ellipsis,
  'external-link': externalLink,
  eye,
  'eye-off': eyeOff,
  'file-audio': fileAudio,
  gauge,
  globe,
  headphones,
  info,
  'key-round': keyRound,
  languages,
  link,
  'list-ordered': listOrdered,
  'loader-circle': loaderCircle,
  lock,
  'lock-open': lockOpen,
  'log-out': logOut,
  mail,
  menu,
  'mic-vocal': micVocal,
  monitor,
  moon,
  newspaper,
  palette,
  pencil,
  plus,
  'refresh-cw': refreshCw,
  rss,
  'scroll-text': scrollText,
  search,
  send,
  server,
  settings,
  'shield-check': shieldCheck,
  'sliders-horizontal': slidersHorizontal,
  smartphone,
  'spell-check': spellCheck,
  star,
  sun,
  'text-quote': textQuote,
  'trash-2': trash2,
  'triangle-alert': triangleAlert,
  'undo-2': undo2,
  upload,
  user,
  'user-plus': userPlus,
  users,
  'volume-2': volume2,
  webhook,
  'wifi-off': wifiOff,
  x,
  // Ours: filled.
  play: [['path', { d: 'M7 4.6v14.8c0 .8.9 1.3 1.6.9l11.6-7.4c.6-.4.6-1.3 0-1.7L8.6 3.7C7.9 3.3 7 3.8 7 4.6z' }]],
  pause: [
    ['rect', { x: '5.5', y: '4', width: '4.5', height: '16', rx: '1.4' }],
    ['rect', { x: '14', y: '4', width: '4.5', height: '16', rx: '1.4' }],
  ],
} as const;

export type IconName = keyof typeof icons;

interface IconProps {
  readonly name: IconName;
  /** Turns while something is under way. */
  readonly isSpinning?: boolean;
}

/** Decoration beside a word; a control without a word needs an `aria-label` of its own. */
export function Icon({ name, isSpinning = false }: IconProps) {
  const look = name === 'play' || name === 'pause' ? 'icon filled' : 'icon';
  return (
    <svg class={isSpinning ? `${look} spin` : look} viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes]) => h(tag, { ...attributes }))}
    </svg>
  );
}
