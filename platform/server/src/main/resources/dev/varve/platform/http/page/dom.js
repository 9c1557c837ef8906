// Small helpers to make elements. Text is always set as text: no string becomes HTML here.

/**
 * Makes an element.
 *
 * @param {string} tag such as 'button', or 'button.primary.small' with classes
 * @param {object} [properties] attributes; functions under 'onclick' and the like; 'dataset' as an
 *     object; an attribute with the value null, undefined or false is omitted
 * @param {...(Node|string|null|Array)} children
 */
export function h(tag, properties = {}, ...children) {
    const [name, ...classes] = tag.split('.');
    const element = document.createElement(name);
    if (classes.length > 0) {
        element.className = classes.join(' ');
    }
    for (const [key, value] of Object.entries(properties ?? {})) {
        if (value === null || value === undefined || value === false) {
            continue;
        }
        if (typeof value === 'function') {
            element.addEventListener(key.slice(2), value);
        } else if (key === 'dataset') {
            Object.assign(element.dataset, value);
        } else if (key === 'value') {
            element.value = value;
        } else {
            element.setAttribute(key, value === true ? '' : String(value));
        }
    }
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
    return element;
}

/** Shows or hides. */
export function show(element, shown) {
    element.hidden = !shown;
}

const SVG = 'http://www.w3.org/2000/svg';
const ICONS = new URL('icons.svg', import.meta.url);

/** Makes one of the icons of icons.svg, in the colour of the text beside it. */
export function icon(name) {
    const drawing = document.createElementNS(SVG, 'svg');
    drawing.classList.add('icon');
    drawing.setAttribute('aria-hidden', 'true');
    const use = document.createElementNS(SVG, 'use');
    use.setAttribute('href', `${ICONS}#${name}`);
    drawing.append(use);
    return drawing;
}

/** Loads a style sheet once, such as styleSheet(new URL('cache.css', import.meta.url)). */
export function styleSheet(url) {
    const href = String(url);
    if (![...document.styleSheets].some(sheet => sheet.href === href)
            && !document.querySelector(`link[href="${href}"]`)) {
        document.head.append(h('link', {rel: 'stylesheet', href}));
    }
}

/** Announces a sentence to screen readers. */
export function announce(text) {
    const announcer = document.getElementById('announcer');
    // Screen readers announce the same text again only if it was cleared in between.
    announcer.textContent = '';
    setTimeout(() => {
        announcer.textContent = text;
    }, 50);
}
