// Store of conversations, in this browser only.
//
// A chat: {id, title, created, updated, settings}; times in milliseconds since 1970.
// A message: {id, chat, order, role, content, ...}; see conversation.js. Its key is the pair of
// chat and order, so that a chat is read, or removed from a message on, as one range.

const NAME = 'varve';
const VERSION = 1;

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

/** Messages of a chat from an order on. */
function range(chat, from = 0) {
    return IDBKeyRange.bound([chat, from], [chat, Infinity]);
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
            transaction.onerror = () => reject(transaction.error);
            transaction.onabort = () => reject(transaction.error);
        });
    }

    /** Removes the messages of a chat from an order on. */
    cut(chat, from) {
        return this.#ask('messages', 'readwrite', store => store.delete(range(chat, from)));
    }

    async removeChat(id) {
        await this.cut(id, 0);
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
            transaction.onerror = () => reject(transaction.error);
            transaction.onabort = () => reject(transaction.error);
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

    async cut(chat, from) {
        for (const order of [...(this.#messages.get(chat)?.keys() ?? [])]) {
            if (order >= from) {
                this.#messages.get(chat).delete(order);
            }
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
