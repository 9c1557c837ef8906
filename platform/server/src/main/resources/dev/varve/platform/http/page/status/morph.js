// Updates the shown elements in place, so that focus, selection and a pressed button survive.

/** Makes the children of an element equal to others, with as few changes as possible. */
export function morph(element, ...children) {
    const wanted = children.flat(Infinity).filter(child => child !== null && child !== undefined)
        .map(child => typeof child === 'string' ? document.createTextNode(child) : child);
    for (const [index, child] of wanted.entries()) {
        const shown = element.childNodes[index];
        if (shown === undefined) {
            element.append(child);
        } else if (isSameElement(shown, child)) {
            updateElement(shown, child);
        } else {
            const same = keyed(element, child, index);
            if (same) {
                shown.before(same);
                updateElement(same, child);
            } else {
                shown.replaceWith(child);
            }
        }
    }
    while (element.childNodes.length > wanted.length) {
        element.lastChild.remove();
    }
}

/** Finds the same element at another place, such as a row that moved up. */
function keyed(element, child, from) {
    const key = child.dataset?.key;
    return key && [...element.childNodes].slice(from)
        .find(each => each.dataset?.key === key && each.nodeName === child.nodeName);
}

function isSameElement(shown, wanted) {
    return shown.nodeName === wanted.nodeName && shown.dataset?.key === wanted.dataset?.key;
}

function updateElement(shown, wanted) {
    if (shown.nodeType === Node.TEXT_NODE) {
        if (shown.data !== wanted.data) {
            shown.data = wanted.data;
        }
        return;
    }
    for (const {name} of [...shown.attributes]) {
        // The user decides whether details are open.
        if (!wanted.hasAttribute(name) && name !== 'open') {
            shown.removeAttribute(name);
        }
    }
    for (const {name, value} of wanted.attributes) {
        if (shown.getAttribute(name) !== value) {
            shown.setAttribute(name, value);
        }
    }
    morph(shown, [...wanted.childNodes]);
}
