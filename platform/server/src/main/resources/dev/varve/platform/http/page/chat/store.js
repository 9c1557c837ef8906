// Store of conversations, in this browser only.
//
// A chat: {id, title, created, updated, settings, leaf}; times in milliseconds since 1970. The leaf is the
// order of the last message of the shown branch.
// A message: {id, chat, order, parent, role, content, ...}; see conversation.js and tree.js. Its key is
// the pair of chat and order, so that a chat is read or removed as one range.

const NAME = 'varve';
const VERSION = 1;
/** Number of messages that a search reads at a time; each may have large files. */
const PART = 50;

/** Creates an id; also over plain HTTP, where randomUUID does not exist. */
export function newId() {
    return [...crypto.getRandomValues(new Uint8Array(12))]
        .map(byte => byte.toString(16).padStart(2, '0'))
        .join('');
}

/** Opens the store; without IndexedDB, one in memory. */
export async function openStore() {
    try {
        return new KeptStore(await openDatabase());
    } catch {
        return new PassingStore();
    }
}

function openDatabase() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(NAME, VERSION);
        request.onupgradeneeded = () => {
            request.result.createObjectStore('chats', {keyPath: 'id'});
            request.result.createObjectStore('messages', {keyPath: ['chat', 'order']});
        };
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
        request.onblocked = () => reject(new Error('another page keeps an older store open'));
    });
}

/** Reason of an abort, which follows each error: a transaction has none before, and in some browsers none at all. */
function reason(transaction) {
    return transaction.error ?? new Error('The storage does not respond.');
}

/** Messages of a chat. */
function range(chat) {
    return IDBKeyRange.bound([chat, 0], [chat, Infinity]);
}

class KeptStore {
    #database;
    isKept = true;

    constructor(database) {
        this.#use(database);
    }

    #use(database) {
        this.#database = database;
        // Another version of the page may upgrade the database.
        database.onversionchange = () => database.close();
    }

    /** All chats, the newest first. */
    async chats() {
        const chats = await this.#ask('chats', 'readonly', store => store.getAll());
        return chats.sort((one, other) => other.updated - one.updated);
    }

    chat(id) {
        return this.#ask('chats', 'readonly', store => store.get(id));
    }

    messages(chat) {
        return this.#ask('messages', 'readonly', store => store.getAll(range(chat)));
    }

    putChat(chat) {
        return this.#ask('chats', 'readwrite', store => store.put(chat));
    }

    /** The last message of a chat. */
    async lastMessage(chat) {
        const cursor = await this.#ask('messages', 'readonly',
            store => store.openCursor(range(chat), 'prev'));
        return cursor?.value;
    }

    /** Stores a message with its chat; returns false if the chat was removed. */
    async put(chat, message, isNew) {
        const transaction = await this.#begin(['chats', 'messages'], 'readwrite');
        return new Promise((resolve, reject) => {
            const chats = transaction.objectStore('chats');
            const had = chats.getKey(chat.id);
            let isThere = isNew;
            had.onsuccess = () => {
                isThere ||= had.result !== undefined;
                if (isThere) {
                    chats.put(chat);
                    transaction.objectStore('messages').put(message);
                }
            };
            transaction.oncomplete = () => resolve(isThere);
            transaction.onabort = () => reject(reason(transaction));
        });
    }

    /** Stores a chat with all its messages, or nothing. */
    async putAll(chat, messages) {
        const transaction = await this.#begin(['chats', 'messages'], 'readwrite');
        return new Promise((resolve, reject) => {
            transaction.objectStore('chats').put(chat);
            messages.forEach(message => transaction.objectStore('messages').put(message));
            transaction.oncomplete = () => resolve();
            transaction.onabort = () => reject(reason(transaction));
        });
    }

    /** Removes one message of a chat. */
    remove(chat, order) {
        return this.#ask('messages', 'readwrite', store => store.delete([chat, order]));
    }

    /** Calls a function with all messages of all chats, in parts, until the signal. */
    async eachMessage(visit, signal) {
        let after = [''];
        while (!signal.aborted) {
            const bounds = IDBKeyRange.lowerBound(after, true);
            const part = await this.#ask('messages', 'readonly', store => store.getAll(bounds, PART));
            part.forEach(visit);
            if (part.length < PART) {
                return;
            }
            after = [part.at(-1).chat, part.at(-1).order];
        }
    }

    async removeChat(id) {
        await this.#ask('messages', 'readwrite', store => store.delete(range(id)));
        await this.#ask('chats', 'readwrite', store => store.delete(id));
    }

    async removeAll() {
        await this.#ask('messages', 'readwrite', store => store.clear());
        await this.#ask('chats', 'readwrite', store => store.clear());
    }

    async #begin(names, mode) {
        try {
            return this.#database.transaction(names, mode);
        } catch (error) {
            if (error.name !== 'InvalidStateError') {
                throw error;
            }
            // Another page caused the database to close.
            this.#use(await openDatabase());
            return this.#database.transaction(names, mode);
        }
    }

    async #ask(name, mode, action) {
        const transaction = await this.#begin(name, mode);
        return new Promise((resolve, reject) => {
            const request = action(transaction.objectStore(name));
            // Writes are durable when the whole transaction is complete.
            transaction.oncomplete = () => resolve(request.result);
            transaction.onabort = () => reject(reason(transaction));
        });
    }
}

/** The same interface, in memory. */
class PassingStore {
    #chats = new Map();
    #messages = new Map();
    isKept = false;

    async chats() {
        return [...this.#chats.values()].sort((one, other) => other.updated - one.updated);
    }

    async chat(id) {
        return this.#chats.get(id);
    }

    async messages(chat) {
        return [...(this.#messages.get(chat)?.values() ?? [])].sort((a, b) => a.order - b.order);
    }

    async putChat(chat) {
        this.#chats.set(chat.id, structuredClone(chat));
    }

    async lastMessage(chat) {
        return (await this.messages(chat)).at(-1);
    }

    async put(chat, message, isNew) {
        if (!isNew && !this.#chats.has(chat.id)) {
            return false;
        }
        await this.putChat(chat);
        const all = this.#messages.get(message.chat) ?? new Map();
        all.set(message.order, structuredClone(message));
        this.#messages.set(message.chat, all);
        return true;
    }

    async putAll(chat, messages) {
        await this.putChat(chat);
        this.#messages.set(chat.id, new Map(messages.map(message => [message.order, structuredClone(message)])));
    }

    async remove(chat, order) {
        this.#messages.get(chat)?.delete(order);
    }

    async eachMessage(visit) {
        for (const messages of this.#messages.values()) {
            messages.forEach(message => visit(message));
        }
    }

    async removeChat(id) {
        this.#chats.delete(id);
        this.#messages.delete(id);
    }

    async removeAll() {
        this.#chats.clear();
        this.#messages.clear();
    }
}
