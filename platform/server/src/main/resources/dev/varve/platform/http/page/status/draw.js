// Charts. Colours are set by classes, so that they follow the theme.

import {h} from '../dom.js';
import {percent} from '../format.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element of a drawing, such as svg('rect.fill-1', {x: 0}). */
export function svg(tag, attributes = {}, ...children) {
    const [name, ...classes] = tag.split('.');
    const element = document.createElementNS(SVG, name);
    if (classes.length > 0) {
        element.setAttribute('class', classes.join(' '));
    }
    for (const [key, value] of Object.entries(attributes)) {
        element.setAttribute(key, String(value));
    }
    element.append(...children.flat(Infinity));
    return element;
}

const ALL = 1000;

/**
 * A bar of consecutive parts of a whole.
 *
 * @param {{colour: number, value: number}[]} parts
 * @param {number} whole value of the whole bar
 * @param {string} words text alternative
 */
export function bar(parts, whole, words) {
    let at = 0;
    const rects = [];
    for (const {colour, value} of parts) {
        const width = whole > 0 ? Math.min(ALL - at, ALL * value / whole) : 0;
        if (width > 0) {
            rects.push(svg(`rect.fill-${colour}`, {
                x: at.toFixed(1), y: 0, width: width.toFixed(1), height: 10,
            }));
            at += width;
        }
    }
    return svg('svg.chart', {
        viewBox: `0 0 ${ALL} 10`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words,
    }, svg('rect.empty-bar', {x: 0, y: 0, width: ALL, height: 10}), rects);
}

/** A value as its share of a total: a bar, and the percentage. */
export function share(name, colour, value, all) {
    const words = all > 0 ? percent(value / all) : '–';
    return h('span.share', {}, bar([{colour, value}], all, `${name}: ${words}`),
        h('span', {'aria-hidden': 'true'}, words));
}

/** Legend of a bar, with values. */
export function legend(parts) {
    return h('ul.legend', {}, parts.map(({colour, name, value}) =>
        h('li', {}, swatch(colour), `${name} `, h('strong', {}, value))));
}

function swatch(colour) {
    return svg('svg.swatch', {viewBox: '0 0 10 10', 'aria-hidden': 'true'},
        svg(`rect.fill-${colour}`, {width: 10, height: 10, rx: 2}));
}

/** Text in a colour, with a sign for users who cannot see the colour. */
export function badge(kind, words) {
    const sign = {good: '●', warn: '◐', bad: '▲', plain: '○'}[kind];
    return h(`span.badge.${kind}`, {}, h('span', {'aria-hidden': 'true'}, `${sign} `), words);
}
