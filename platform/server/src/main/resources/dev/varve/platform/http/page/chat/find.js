// Search in the texts of all stored messages.

const BEFORE = 24;
const AFTER = 80;

/**
 * Finds words.
 *
 * @param store
 * @param {string} words in lower case
 * @param {AbortSignal} signal ends the search
 * @returns {Promise<Map<string, string>>} the text around the first match, by chat
 */
export async function find(store, words, signal) {
    const found = new Map();
    await store.eachMessage(({chat, content, files}) => {
        if (found.has(chat)) {
            return;
        }
        for (const text of [content, ...(files ?? []).map(file => `${file?.name}: ${file?.text}`)]) {
            const at = String(text ?? '').toLowerCase().indexOf(words);
            if (at >= 0) {
                found.set(chat, around(String(text), at, words.length));
                return;
            }
        }
    }, signal);
    return found;
}

function around(text, at, length) {
    const begin = Math.max(0, at - BEFORE);
    const end = at + length + AFTER;
    return `${begin > 0 ? '…' : ''}${text.slice(begin, end).replace(/\s+/g, ' ').trim()}${end < text.length ? '…' : ''}`;
}
