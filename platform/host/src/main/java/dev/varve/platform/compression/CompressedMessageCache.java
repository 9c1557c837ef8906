package dev.varve.platform.compression;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What messages have become, so that they become the same in every turn. Those that were not asked
 * for the longest go first when the memory is full. Thread-safe.
 */
public final class CompressedMessageCache {
    /** What an entry takes beside its text, about. */
    static final int OVERHEAD_BYTES = 256;

    private final long mostBytes;
    private final Map<MessageKey, String> texts = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /**
     * Holds nothing yet.
     *
     * @param mostBytes of all texts together; 0 to hold none
     */
    public CompressedMessageCache(long mostBytes) {
        if (mostBytes < 0) {
            throw new IllegalArgumentException("expected 0 bytes or more, found " + mostBytes);
        }
        this.mostBytes = mostBytes;
    }

    /** What a message has become, if that is known; it counts as used now. */
    public synchronized Optional<String> find(MessageKey key) {
        return Optional.ofNullable(texts.get(key));
    }

    /**
     * Keeps a text, unless it is too long by itself. Of two for one message the first one counts:
     * somebody has it in a prompt already.
     *
     * @return the text that counts
     */
    public synchronized String keep(MessageKey key, String text) {
        String known = texts.get(key);
        if (known != null) {
            return known;
        }
        if (size(text) <= mostBytes) {
            texts.put(key, text);
            bytes += size(text);
            makeRoom();
        }
        return text;
    }

    private void makeRoom() {
        Iterator<String> oldest = texts.values().iterator();
        while (bytes > mostBytes) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    /** Number of texts. */
    public synchronized int count() {
        return texts.size();
    }

    /** Bytes that they take, about. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Forgets all. */
    public synchronized void clear() {
        texts.clear();
        bytes = 0;
    }

    private static long size(String text) {
        return OVERHEAD_BYTES + (long) Character.BYTES * text.length();
    }
}
