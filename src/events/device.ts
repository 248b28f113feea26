import type { DeviceClass } from '../database/event-tables.ts';

/** @returns the coarse class of the device that sent a request: all that is kept of its `User-Agent` */
export function deviceOf(headers: Headers): DeviceClass {
  const agent = headers.get('user-agent') ?? '';
  if (/iPad|Tablet|PlayBook|Silk|Kindle/i.test(agent)) return 'tablet';
  if (/Android/i.test(agent)) return /Mobile/i.test(agent) ? 'phone' : 'tablet';
  if (/iPhone|iPod|Mobi|Windows Phone/i.test(agent)) return 'phone';
  if (headers.get('sec-ch-ua-mobile') === '?1') return 'phone';
  if (/bot\b|crawl|spider/i.test(agent)) return 'other';
  return /Windows NT|Macintosh|X11|CrOS|Linux/i.test(agent) ? 'desktop' : 'other';
}
